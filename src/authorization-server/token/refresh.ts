import { dynamicScopesAnywhere } from "#clients/allowed-scopes.ts";
import { isRuled } from "#app-access/app-access.ts";
import { SELF_REGISTERED } from "#app-access/app-rules.ts";
import type { ClientAuthentication } from "#authorization-server/client-authentication/client-authentication.ts";
import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import type { ClientCredentials } from "#clients/client-proof.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { TokenGrant } from "#grants/grant.ts";
import type { Grants } from "#grants/grants.ts";
import { judgeRefresh } from "#grants/judgement.ts";
import { readRefreshToken, type RefreshTokenClaim } from "#grants/refresh-token.ts";
import type { TokenGrants } from "#grants/token-grants.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import type { Clock } from "#platform/clock.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { parseResource } from "#protocol/resource-indicator.ts";
import { narrowScopes, opensAnything, parseScopes } from "#protocol/scopes.ts";
import { endCopied } from "./copied-grant.ts";
import { requireOpening, type TokenAnswers, type TokenResponse } from "./token-answer.ts";

/** The person and the client of a grant, for the rate limits of refreshes. */
export interface GrantOwner {
  readonly person: string;
  readonly client: string;
}

/** The most owners of recently refreshed grants that an isolate remembers. */
const OWNERS_MAX = 2000;

/** Exchanges refresh tokens for new tokens (OAuth 2.1 §4.3). */
export class Refreshes {
  readonly #clients: ClientAuthentication;
  readonly #tokenGrants: TokenGrants;
  readonly #grants: Grants;
  readonly #answers: TokenAnswers;
  readonly #signingKeys: SigningKeys;
  readonly #keyring: Keyring;
  readonly #clock: Clock;
  /**
   * The owners of recently refreshed grants. With them, a client that refreshes in a loop is refused before the database is asked
   * and before anything is spent.
   */
  readonly #owners = new BoundedMap<string, GrantOwner>(OWNERS_MAX);

  constructor(
    clients: ClientAuthentication,
    tokenGrants: TokenGrants,
    grants: Grants,
    answers: TokenAnswers,
    signingKeys: SigningKeys,
    keyring: Keyring,
    clock: Clock,
  ) {
    this.#clients = clients;
    this.#tokenGrants = tokenGrants;
    this.#grants = grants;
    this.#answers = answers;
    this.#signingKeys = signingKeys;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  /**
   * Advances the grant by one generation and returns its next tokens. A parallel refresh or a retry gets tokens of the same
   * generation again.
   *
   * @param requireWithinRate counts the refresh before anything is spent
   * @throws {OAuthError} if any check fails
   */
  async refresh(
    instance: RequestInstance,
    parameters: Parameters,
    credentials: ClientCredentials,
    keyThumbprint: string | undefined,
    requireWithinRate: (owner: GrantOwner) => Promise<void>,
  ): Promise<TokenResponse> {
    const { resource, presented, requested, requestedScopes } = await this.#clients.judging(
      instance,
      credentials,
      async () => ({
        resource: parseResource(parameters.all("resource"), instance.issuer),
        presented: await readRefreshToken(this.#keyring, parameters.require("refresh_token")),
        ...readRequestedScopes(parameters),
      }),
    );
    const owner = presented && this.#owners.get(presented.grantId);
    if (owner) await requireWithinRate(owner);
    // Until the grant is read, the client may be a self-registered one, so the rules for those count too, and it may be a known host.
    const isRuledApp = [credentials.clientId, SELF_REGISTERED].some((app) => isRuled(instance.policy, app));
    if (presented && (isRuledApp || instance.policy.settings.identityHosts.length > 0)) {
      await this.#requireAllowed(instance, credentials, presented, requested);
    }
    const key = await this.#signingKeys.active(instance.policy);
    const now = this.#clock();
    const { settings } = instance.policy;
    const outcome = await this.#tokenGrants.rotate(
      {
        instanceId: instance.policy.instanceId,
        issuer: instance.issuer,
        credentials,
        grantId: presented?.grantId ?? "",
        generation: presented?.generation ?? -1,
        grantIdleSeconds: settings.grantIdleSeconds,
        requestedScopes,
        keyThumbprint,
        dynamicScopes: dynamicScopesAnywhere(settings),
        resource,
        tokensUntil: now + settings.refreshRepeatSeconds + settings.accessTokenLifetimeSeconds,
      },
      now,
    );
    const grant = "rotated" in outcome ? outcome.rotated : outcome.grant;
    if (grant) this.#owners.set(grant.id, { person: grant.personId, client: grant.clientId });
    const answer = (refreshed: TokenGrant) =>
      this.#answers.make(
        instance,
        key,
        refreshed,
        { scope: requested ?? refreshed.scope, resource, keyThumbprint },
        now,
      );
    if ("rotated" in outcome) return answer(outcome.rotated);
    const wanted = { scopes: requestedScopes, resource, keyThumbprint, proof: credentials.proof };
    const judgement = judgeRefresh(outcome, presented, instance, wanted, now);
    if (judgement.verdict === "same-successor") return answer(judgement.grant);
    if (judgement.verdict === "reused")
      await endCopied(this.#grants, instance, judgement.grant, "refresh_token_reused");
    const { clientId } = credentials;
    judgement.refusal.connection = { clientId, grantId: presented?.grantId, isRefresh: true };
    throw judgement.refusal;
  }

  /**
   * Refuses a refresh if the app's rules would leave it without a scope, before the token is spent: the person may be back in the
   * group tomorrow. Applies only to the grant's current token, so that using an older one still ends the grant.
   *
   * @throws {OAuthError} `invalid_grant`
   */
  async #requireAllowed(
    instance: RequestInstance,
    credentials: ClientCredentials,
    { grantId, generation }: RefreshTokenClaim,
    requested: string | undefined,
  ): Promise<void> {
    const { instanceId } = instance.policy;
    const { clientAuthenticated, grant } = await this.#tokenGrants.observe({ instanceId, grantId, credentials });
    if (!clientAuthenticated || grant?.generation !== generation || grant.revokedAt !== null) return;
    requireOpening(narrowScopes(requested ?? grant.scope, await this.#answers.grantedNow(instance, grant)));
  }
}

/** Reads the scopes that a refresh asks to narrow to; none means all that were granted. */
function readRequestedScopes(parameters: Parameters) {
  const requested = parameters.one("scope");
  const requestedScopes = requested === undefined ? [] : parseScopes(requested);
  if (requested === undefined || opensAnything(requestedScopes)) return { requested, requestedScopes };
  throw new OAuthError("invalid_scope", { reason: "refresh_scope_empty" });
}
