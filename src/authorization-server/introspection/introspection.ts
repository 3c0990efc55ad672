import {
  type ClientRequest,
  judging,
  readCredentials,
} from "#authorization-server/client-authentication/client-authentication.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError, OAuthError } from "#protocol/errors.ts";
import { narrowScopes, opensAnything, parseScopes, type Scope } from "#protocol/scopes.ts";
import { clientOf, isRefreshable, isRunning, lastUsedAt, type ObservedGrant } from "#grants/grant.ts";
import { type OwnToken, readOwnToken } from "#authorization-server/token/read-token.ts";
import { epochSeconds } from "#platform/clock.ts";

/** The response for every token that is not active, for any reason (RFC 7662 §2.2). Anything more would be a hint. */
const INACTIVE = { active: false } as const;

/**
 * Returns the state of a token (RFC 7662), to a confidential client and for its own tokens.
 *
 * @throws {OAuthError} `invalid_client` if the caller does not authenticate itself; `invalid_request` if the request is malformed
 */
export async function introspect(
  services: OAuthServices,
  instance: RequestInstance,
  request: ClientRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { appAccess, keyring, tokenGrants } = services;
  const { parameters } = request;
  const { policy } = instance;
  const credentials = await readCredentials(services, instance, request);
  if (credentials.proof === null) throw new OAuthError("invalid_client", { reason: "introspection_by_public_client" });
  const token = await judging(services, instance, credentials, () => {
    parameters.requireUnrepeated();
    return readOwnToken(keyring, instance, parameters.require("token"));
  });
  const { instanceId } = policy;
  const observed = await tokenGrants.observe({ instanceId, grantId: token?.grantId ?? "", credentials });
  if (!observed.clientAuthenticated) throw new OAuthError("invalid_client", { reason: "client_not_authenticated" });
  const now = epochSeconds();
  const { grant } = observed;
  if (!token || !grant || !isGood(grant, instance, now)) return INACTIVE;
  // Administrators may have narrowed what the client may use since.
  let allowed = await appAccess.scopesFor(policy, clientOf(grant), grant);
  if (token.type === "access_token") {
    const honoured = await honouredScopes(services, instance, request);
    allowed = allowed.filter((scope) => honoured.includes(scope));
  }
  const held = token.type === "access_token" ? token.claims.scope : grant.scope;
  const scope = narrowScopes(held, allowed).join(" ");
  if (!opensAnything(parseScopes(scope))) return INACTIVE;
  return token.type === "access_token"
    ? ofAccessToken(token, scope)
    : ofRefreshToken(token, scope, grant, instance, now);
}

function isGood(grant: ObservedGrant, { issuer, policy }: RequestInstance, now: number): boolean {
  const isOurs = grant.issuer === issuer && grant.personDeactivatedAt === null;
  return isOurs && isRunning(grant, policy.settings.grantIdleSeconds, now);
}

/** Returns the scopes of an access token that our APIs honour, whatever apps the access came through; none if they refuse it. */
async function honouredScopes(
  { appAccess, subjectTokens }: OAuthServices,
  instance: RequestInstance,
  { parameters, waitUntil }: ClientRequest,
): Promise<readonly Scope[]> {
  try {
    const { apps, personId, scopes } = await subjectTokens(instance, parameters.require("token"), waitUntil);
    return await appAccess.within(instance.policy, apps, { personId }, [...scopes]);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

function ofAccessToken({ claims }: OwnToken & { type: "access_token" }, scope: string) {
  const { iss, sub, aud, exp, iat, nbf, jti, client_id, cnf, act } = claims;
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
