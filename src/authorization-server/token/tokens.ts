import type {
  ClientAuthentication,
  ClientRequest,
} from "#authorization-server/client-authentication/client-authentication.ts";
import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import { requireMet } from "#clients/client-requirements.ts";
import type { ProvedRequest } from "#dpop/dpop-proof.ts";
import type { DpopProofs } from "#dpop/dpop-proofs.ts";
import type { TokenGrant } from "#grants/grant.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { CLIENT_CREDENTIALS, JWT_BEARER } from "#protocol/grant-types.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { AssertionGrants } from "./assertion-grant.ts";
import type { CodeExchange } from "./code-exchange.ts";
import type { MachineGrants } from "./machine-grant.ts";
import type { GrantOwner, Refreshes } from "./refresh.ts";
import type { TokenAnswers, TokenResponse } from "./token-answer.ts";

/** A request for tokens, with the proof of the key that they will be bound to, if it has one. */
export interface TokenRequest extends ClientRequest {
  readonly proved: ProvedRequest;
}

/** Issues tokens for all grant types of the token endpoint. */
export class Tokens {
  readonly #clients: ClientAuthentication;
  readonly #proofs: DpopProofs;
  readonly #assertionGrants: AssertionGrants;
  readonly #machineGrants: MachineGrants;
  readonly #codes: CodeExchange;
  readonly #refreshes: Refreshes;
  readonly #answers: TokenAnswers;
  readonly #signingKeys: SigningKeys;
  readonly #clock: Clock;

  constructor(
    clients: ClientAuthentication,
    proofs: DpopProofs,
    assertionGrants: AssertionGrants,
    machineGrants: MachineGrants,
    codes: CodeExchange,
    refreshes: Refreshes,
    answers: TokenAnswers,
    signingKeys: SigningKeys,
    clock: Clock,
  ) {
    this.#clients = clients;
    this.#proofs = proofs;
    this.#assertionGrants = assertionGrants;
    this.#machineGrants = machineGrants;
    this.#codes = codes;
    this.#refreshes = refreshes;
    this.#answers = answers;
    this.#signingKeys = signingKeys;
    this.#clock = clock;
  }

  /**
   * Handles a token request. The proof is checked before the client authenticates. A client that repeats the request with the
   * nonce that was missing may therefore repeat its assertion, which was not spent, and the refusal of a proof reveals nothing
   * about a client.
   *
   * @param requireWithinRate counts a refresh before anything is spent
   * @throws {OAuthError} the errors of OAuth 2.1 §3.2.4 and RFC 9449 §5
   */
  async exchange(
    instance: RequestInstance,
    request: TokenRequest,
    requireWithinRate: (owner: GrantOwner) => Promise<void>,
  ): Promise<TokenResponse> {
    const { parameters, proved } = request;
    const keyThumbprint = await this.#proofs.keyOfClient(instance, proved);
    if (parameters.one("grant_type") === CLIENT_CREDENTIALS) {
      return this.#answerAtOnce(instance, keyThumbprint, (now) =>
        this.#machineGrants.byClientCredentials(instance, request, keyThumbprint, now),
      );
    }
    if (parameters.one("grant_type") === JWT_BEARER) {
      return this.#answerAtOnce(instance, keyThumbprint, (now) =>
        this.#assertionGrants.redeem(instance, request, keyThumbprint, now),
      );
    }
    const credentials = await this.#clients.read(instance, request);
    const grantType = await this.#clients.judging(instance, credentials, () => {
      parameters.requireUnrepeated(["resource"]);
      requireMet(instance.policy.settings.appRequirements, keyThumbprint, credentials.proof);
      return requireGrantType(parameters);
    });
    const { clientId } = credentials;
    return grantType === "authorization_code"
      ? ofConnection({ clientId }, () => this.#codes.redeem(instance, parameters, credentials, keyThumbprint))
      : ofConnection({ clientId, isRefresh: true }, () =>
          this.#refreshes.refresh(instance, parameters, credentials, keyThumbprint, requireWithinRate),
        );
  }

  /** Makes a grant that is running at once, and returns its tokens with the resource that was granted. */
  async #answerAtOnce(
    instance: RequestInstance,
    keyThumbprint: string | undefined,
    grantAt: (now: number) => Promise<TokenGrant>,
  ): Promise<TokenResponse> {
    const now = this.#clock();
    const key = await this.#signingKeys.active(instance.policy);
    const grant = await grantAt(now);
    const { scope, resource } = grant;
    return { ...(await this.#answers.make(instance, key, grant, { scope, resource, keyThumbprint }, now)), resource };
  }
}

function requireGrantType(parameters: Parameters): "authorization_code" | "refresh_token" {
  const grantType = parameters.require("grant_type");
  if (grantType === "authorization_code" || grantType === "refresh_token") return grantType;
  throw new OAuthError("unsupported_grant_type", { reason: "grant_type_unknown" });
}
