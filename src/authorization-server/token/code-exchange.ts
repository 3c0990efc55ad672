import type { ClientAuthentication } from "#authorization-server/client-authentication/client-authentication.ts";
import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import type { ClientCredentials } from "#clients/client-proof.ts";
import { hashToken } from "#crypto/hash.ts";
import type { Grants } from "#grants/grants.ts";
import { judgeCode } from "#grants/judgement.ts";
import type { CodeClaim, TokenGrants } from "#grants/token-grants.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { parseResource } from "#protocol/resource-indicator.ts";
import { endCopied } from "./copied-grant.ts";
import { challengeOf } from "./pkce.ts";
import { idTokenBeside, type TokenAnswers, type TokenResponse } from "./token-answer.ts";

/** Exchanges codes for tokens (OAuth 2.1 §4.1.3). */
export class CodeExchange {
  readonly #clients: ClientAuthentication;
  readonly #tokenGrants: TokenGrants;
  readonly #grants: Grants;
  readonly #answers: TokenAnswers;
  readonly #signingKeys: SigningKeys;
  readonly #clock: Clock;

  constructor(
    clients: ClientAuthentication,
    tokenGrants: TokenGrants,
    grants: Grants,
    answers: TokenAnswers,
    signingKeys: SigningKeys,
    clock: Clock,
  ) {
    this.#clients = clients;
    this.#tokenGrants = tokenGrants;
    this.#grants = grants;
    this.#answers = answers;
    this.#signingKeys = signingKeys;
    this.#clock = clock;
  }

  /** Claims the code, once, and returns the tokens of its grant. @throws {OAuthError} if any check fails */
  async redeem(
    instance: RequestInstance,
    parameters: Parameters,
    credentials: ClientCredentials,
    keyThumbprint: string | undefined,
  ): Promise<TokenResponse> {
    const now = this.#clock();
    const claim = await this.#clients.judging(
      instance,
      credentials,
      async (): Promise<CodeClaim> => ({
        instanceId: instance.policy.instanceId,
        issuer: instance.issuer,
        credentials,
        resource: parseResource(parameters.all("resource"), instance.issuer),
        codeHash: await hashToken(parameters.require("code")),
        redirectUri: parameters.one("redirect_uri"),
        codeChallenge: await challengeOf(parameters.one("code_verifier")),
        keyThumbprint,
        tokensUntil: now + instance.policy.settings.accessTokenLifetimeSeconds,
      }),
    );
    const { resource } = claim;
    const key = await this.#signingKeys.active(instance.policy);
    const grant = await this.#tokenGrants.claimCode(claim, now);
    if (grant) {
      const answer = await this.#answers.make(
        instance,
        key,
        grant,
        { scope: grant.scope, resource, keyThumbprint },
        now,
      );
      return { ...answer, ...(await idTokenBeside(answer, instance.issuer, key, grant, now)) };
    }
    const observed = await this.#tokenGrants.observeCode(claim);
    const { refusal, replayed } = judgeCode(claim, observed, now);
    refusal.connection = { clientId: credentials.clientId, grantId: observed.grant?.id };
    if (replayed) await endCopied(this.#grants, instance, replayed, "code_replayed");
    throw refusal;
  }
}
