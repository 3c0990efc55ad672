import { mustBeBound } from "#dpop/token-use.ts";
import type { AppAccess } from "#app-access/app-access.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import { OAuthError } from "#protocol/errors.ts";
import { narrowScopes, opensAnything, parseScopes } from "#protocol/scopes.ts";
import type {
  ClientAuthentication,
  ClientRequest,
} from "#authorization-server/client-authentication/client-authentication.ts";
import { clientOf, type ObservedGrant } from "#grants/grant.ts";
import { isRefreshable, isRunning, lastUsedAt } from "#grants/running.ts";
import type { TokenGrants } from "#grants/token-grants.ts";
import { type OwnToken, readOwnToken } from "#authorization-server/token/read-token.ts";

/** The response for every token that is not active, for any reason (RFC 7662 §2.2). Anything more would be a hint. */
const INACTIVE = { active: false } as const;

/** Token introspection (RFC 7662), for confidential clients and their own tokens. */
export class Introspection {
  readonly #clients: ClientAuthentication;
  readonly #grants: Pick<TokenGrants, "observe">;
  readonly #appAccess: AppAccess;
  readonly #keyring: Keyring;
  readonly #clock: Clock;

  constructor(
    clients: ClientAuthentication,
    grants: Pick<TokenGrants, "observe">,
    appAccess: AppAccess,
    keyring: Keyring,
    clock: Clock,
  ) {
    this.#clients = clients;
    this.#grants = grants;
    this.#appAccess = appAccess;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  /**
   * Returns the state of a token.
   *
   * @throws {OAuthError} `invalid_client` if the caller does not authenticate itself; `invalid_request` if the request is malformed
   */
  async introspect(instance: RequestInstance, request: ClientRequest): Promise<Readonly<Record<string, unknown>>> {
    const { parameters } = request;
    const credentials = await this.#clients.read(instance, request);
    if (credentials.proof === null)
      throw new OAuthError("invalid_client", { reason: "introspection_by_public_client" });
    const token = await this.#clients.judging(instance, credentials, () => {
      parameters.requireUnrepeated();
      return readOwnToken(this.#keyring, instance, parameters.require("token"));
    });
    const observed = await this.#grants.observe({
      instanceId: instance.policy.instanceId,
      grantId: token?.grantId ?? "",
      credentials,
    });
    if (!observed.clientAuthenticated) throw new OAuthError("invalid_client", { reason: "client_not_authenticated" });
    const now = this.#clock();
    if (!token || !observed.grant || !isGood(observed.grant, instance, now)) return INACTIVE;
    const held = token.type === "access_token" ? token.claims.scope : observed.grant.scope;
    const scope = await this.#heldScope(held, observed.grant, instance);
    if (!opensAnything(parseScopes(scope))) return INACTIVE;
    return token.type === "access_token"
      ? ofAccessToken(token, scope, instance, now)
      : ofRefreshToken(token, scope, observed.grant, instance, now);
  }

  /** Returns the part of a scope that the client may still use for the grant's person: administrators may have narrowed it since. */
  async #heldScope(scope: string, grant: ObservedGrant, { policy }: RequestInstance): Promise<string> {
    return narrowScopes(scope, await this.#appAccess.scopesFor(policy, clientOf(grant), grant)).join(" ");
  }
}

function isGood(grant: ObservedGrant, { issuer, policy }: RequestInstance, now: number): boolean {
  const isOurs = grant.issuer === issuer && grant.personDeactivatedAt === null;
  return isOurs && isRunning(grant, policy.settings.grantIdleSeconds, now);
}

function ofAccessToken(
  { claims }: OwnToken & { type: "access_token" },
  scope: string,
  { policy }: RequestInstance,
  now: number,
) {
  const { iss, sub, aud, exp, iat, nbf, jti, client_id, cnf } = claims;
  if (exp <= now) return INACTIVE;
  // The APIs refuse such a token too (`own-token-standing.ts`).
  if (!cnf && mustBeBound(policy.settings)) return INACTIVE;
  const kind = cnf ? { token_type: "DPoP", cnf } : { token_type: "Bearer" };
  return { active: true, ...kind, iss, sub, aud, exp, iat, nbf, jti, client_id, scope };
}

function ofRefreshToken(
  { generation }: OwnToken & { type: "refresh_token" },
  scope: string,
  grant: ObservedGrant,
  instance: RequestInstance,
  now: number,
) {
  const { issuer, policy } = instance;
  const { grantIdleSeconds } = policy.settings;
  if (generation !== grant.generation || !isRefreshable(grant, grantIdleSeconds, now)) return INACTIVE;
  return {
    active: true,
    iss: issuer,
    sub: grant.personId,
    client_id: grant.clientId,
    scope,
    exp: Math.min(grant.expiresAt, (lastUsedAt(grant) ?? 0) + grantIdleSeconds),
  };
}
