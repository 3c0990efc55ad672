import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { findActingFault } from "#clients/acting-apps.ts";
import { mustBeBound } from "#dpop/token-use.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { actingApps } from "#protocol/access-token-claims.ts";
import { OAuthError } from "#protocol/errors.ts";
import { narrowScopes, opensAnything, parseScopes } from "#protocol/scopes.ts";
import type { ClientRequest } from "#authorization-server/client-authentication/client-authentication.ts";
import { clientOf, type ObservedGrant } from "#grants/grant.ts";
import { isRefreshable, isRunning, lastUsedAt } from "#grants/running.ts";
import { type OwnToken, readOwnToken } from "#authorization-server/token/read-token.ts";

/** The response for every token that is not active, for any reason (RFC 7662 §2.2). Anything more would be a hint. */
const INACTIVE = { active: false } as const;

/**
 * Returns the state of a token (RFC 7662), to a confidential client and for its own tokens.
 *
 * @throws {OAuthError} `invalid_client` if the caller does not authenticate itself; `invalid_request` if the request is malformed
 */
export async function introspect(
  { appAccess, clientAuthentication, clock, keyring, tokenGrants }: OAuthServices,
  instance: RequestInstance,
  request: ClientRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { parameters } = request;
  const { policy } = instance;
  const credentials = await clientAuthentication.read(instance, request);
  if (credentials.proof === null) throw new OAuthError("invalid_client", { reason: "introspection_by_public_client" });
  const token = await clientAuthentication.judging(instance, credentials, () => {
    parameters.requireUnrepeated();
    return readOwnToken(keyring, instance, parameters.require("token"));
  });
  const { instanceId } = policy;
  const observed = await tokenGrants.observe({ instanceId, grantId: token?.grantId ?? "", credentials });
  if (!observed.clientAuthenticated) throw new OAuthError("invalid_client", { reason: "client_not_authenticated" });
  const now = clock();
  const { grant } = observed;
  if (!token || !grant || !isGood(grant, instance, now)) return INACTIVE;
  const held = token.type === "access_token" ? token.claims.scope : grant.scope;
  // Administrators may have narrowed what the client may use since.
  const scope = narrowScopes(held, await appAccess.scopesFor(policy, clientOf(grant), grant)).join(" ");
  if (!opensAnything(parseScopes(scope))) return INACTIVE;
  return token.type === "access_token"
    ? ofAccessToken(token, scope, instance, now)
    : ofRefreshToken(token, scope, grant, instance, now);
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
  const { iss, sub, aud, exp, iat, nbf, jti, client_id, cnf, act } = claims;
  if (exp <= now) return INACTIVE;
  // The APIs refuse such a token too (`own-token-standing.ts`).
  if (!cnf && mustBeBound(policy.settings)) return INACTIVE;
  if (findActingFault(policy, actingApps(act) ?? [])) return INACTIVE;
  const kind = cnf ? { token_type: "DPoP", cnf } : { token_type: "Bearer" };
  return { active: true, ...kind, iss, sub, aud, exp, iat, nbf, jti, client_id, scope, ...(act && { act }) };
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
