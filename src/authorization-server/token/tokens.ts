import {
  type ClientRequest,
  judging,
  readCredentials,
} from "#authorization-server/client-authentication/client-authentication.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { requireMet } from "#clients/client-requirements.ts";
import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { ProvedRequest } from "#dpop/dpop-proof.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { CLIENT_CREDENTIALS, JWT_BEARER, TOKEN_EXCHANGE } from "#protocol/grant-types.ts";
import { parseResource } from "#protocol/resource-indicator.ts";
import { refused } from "./asserted-grant.ts";
import { codeGrant } from "./code-grant.ts";
import { exchangeGrant } from "./exchange-grant.ts";
import type { Asking, GrantOwner, GrantType, Outcome, Reader } from "./grant-type.ts";
import { idJagGrant, isIdJag } from "./id-jag.ts";
import { machineGrant } from "./machine-grant.ts";
import { refreshGrant } from "./refresh-grant.ts";
import { idTokenBeside, makeAnswer, type TokenResponse } from "./token-answer.ts";
import { workloadGrant } from "./workload-grant.ts";

/** A request for tokens, with the proof of the key that they will be bound to, if it has one. */
export interface TokenRequest extends ClientRequest {
  readonly proved: ProvedRequest;
}

/** Issues tokens for all grant types of the token endpoint. */
export class Tokens {
  readonly #services: OAuthServices;
  readonly #types: ReadonlyMap<string, GrantType>;

  constructor(services: OAuthServices) {
    const idJags = idJagGrant(services);
    const workloads = workloadGrant(services);
    this.#services = services;
    this.#types = new Map<string, GrantType>([
      ["authorization_code", this.#ofNamed(codeGrant(services))],
      ["refresh_token", this.#ofNamed(refreshGrant(services))],
      [CLIENT_CREDENTIALS, machineGrant(services)],
      [TOKEN_EXCHANGE, exchangeGrant(services)],
      [
        JWT_BEARER,
        async (asking) => {
          const jwt = parseCompactJwt(asking.request.parameters.require("assertion"));
          if (!jwt) throw refused("grant_assertion_unknown", "The assertion must be one signed JWT");
          return isIdJag(jwt) ? idJags(jwt, asking) : workloads(jwt, asking);
        },
      ],
    ]);
  }

  /**
   * Handles a token request. The proof is checked before the client authenticates. A client that repeats the request with the
   * nonce that was missing may therefore repeat its assertion, which was not spent, and the refusal of a proof reveals nothing
   * about a client. The signing key is fetched before anything is used up: if it were unavailable afterwards, the code or refresh
   * token would be spent for nothing.
   *
   * @param requireWithinRate counts a refresh before anything is spent
   * @throws {OAuthError} the errors of OAuth 2.1 §3.2.4, RFC 7523 §3.1, RFC 8693 §2.2.2 and RFC 9449 §5
   */
  async exchange(
    instance: RequestInstance,
    request: TokenRequest,
    requireWithinRate: (owner: GrantOwner) => Promise<void>,
  ): Promise<TokenResponse> {
    const { appAccess, dpopProofs, keyring, signingKeys } = this.#services;
    const { parameters, proved } = request;
    const keyThumbprint = await dpopProofs.keyOfClient(instance, proved);
    const now = epochSeconds();
    const name = parameters.one("grant_type") ?? "";
    const type = this.#types.get(name) ?? this.#ofNamed(unknown);
    const { credentials, requirements = [], read } = await type({ instance, request, keyThumbprint, now });
    const { clientId, proof } = credentials;
    const connection = name === "refresh_token" ? { clientId, isRefresh: true } : { clientId };
    return ofConnection(connection, async () => {
      const redeem = await judging(this.#services, instance, credentials, () => {
        parameters.requireUnrepeated(["resource"]);
        requireMet([...instance.policy.settings.appRequirements, ...requirements], keyThumbprint, proof);
        const resource = parseResource(parameters.all("resource"), instance.issuer);
        return read({ instance, parameters, credentials, keyThumbprint, resource, now, requireWithinRate });
      });
      const key = await signingKeys.active(instance.policy);
      const outcome = await redeem();
      if ("refusal" in outcome) throw await this.#refusalOf(instance, outcome);
      const { grant, scope = grant.scope, resource, act } = outcome;
      const wanted = { scope, resource, keyThumbprint, act };
      const answer = await makeAnswer(appAccess, keyring, instance, key, grant, wanted, now);
      if (name === "refresh_token") return answer;
      if (name !== "authorization_code") return { ...answer, resource: grant.resource };
      return { ...answer, ...(await idTokenBeside(answer, instance.issuer, key, grant, now)) };
    });
  }

  /** Makes a grant type of a client that names itself. The statement that grants compares its credentials. */
  #ofNamed(read: Reader): GrantType {
    return async ({ instance, request }: Asking) => ({
      credentials: await readCredentials(this.#services, instance, request),
      read,
    });
  }

  async #refusalOf(
    { policy }: RequestInstance,
    { refusal, grantId, copied }: Extract<Outcome, { readonly refusal: OAuthError }>,
  ): Promise<OAuthError> {
    refusal.connection = { grantId };
    if (copied) {
      const { id, personId, clientId } = copied.grant;
      const scope = { kind: "grant", grantId: id, personId, clientId } as const;
      await this.#services.grantEndings.end(policy, scope, copied.reason, "authorization-server");
    }
    return refusal;
  }
}

/** @throws {OAuthError} `invalid_request` without a grant type, `unsupported_grant_type` */
const unknown: Reader = async ({ parameters }) => {
  parameters.require("grant_type");
  throw new OAuthError("unsupported_grant_type", { reason: "grant_type_unknown" });
};
