import type { AppAccess } from "#app-access/app-access.ts";
import { makeIdToken } from "#authorization-server/openid/id-token.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { type SigningKey, signJwt } from "#crypto/signing-key.ts";
import { identityHostOf } from "#clients/allowed-scopes.ts";
import { clientOf, type TokenGrant } from "#grants/grant.ts";
import { makeRefreshToken } from "#grants/refresh-token.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ACCESS_TOKEN_TYPE, type AccessTokenClaims, type ActingApp } from "#protocol/access-token-claims.ts";
import { OAuthError } from "#protocol/errors.ts";
import { ACCESS_TOKEN } from "#protocol/grant-types.ts";
import { narrowScopes, opensAnything, parseScopes, type Scope } from "#protocol/scopes.ts";
import { randomId } from "#crypto/secrets.ts";

/** A successful response of the token endpoint (OAuth 2.1 §3.2.3). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer" | "DPoP";
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  /** For an exchanged token (RFC 8693 §2.2.1). */
  readonly issued_token_type?: string;
  /** For an assertion or client credentials: the resource that was granted. */
  readonly resource?: string;
  /** For a code, if the person let the app know who they are (OpenID Connect Core §3.1.3.3). */
  readonly id_token?: string;
}

/** What a token request asks for, in addition to what its grant says. */
interface WantedTokens {
  readonly scope: string;
  readonly resource: string | undefined;
  readonly keyThumbprint: string | undefined;
  /** The apps through which exchanged access passed. */
  readonly act?: ActingApp | undefined;
}

/**
 * Makes the tokens of a grant, as far as its person, its client and the administrator's policy still allow.
 *
 * @throws {OAuthError} `invalid_grant` if no scope is left that is worth a token
 */
export async function makeAnswer(
  appAccess: AppAccess,
  keyring: Keyring,
  { issuer, policy }: RequestInstance,
  key: SigningKey,
  grant: TokenGrant,
  wanted: WantedTokens,
  now: number,
): Promise<TokenResponse> {
  const { settings } = policy;
  const granted = await grantedNow(appAccess, policy, grant);
  const scope = requireOpening(narrowScopes(wanted.scope, granted)).join(" ");
  const lifetimeSeconds = Math.min(settings.accessTokenLifetimeSeconds, grant.tokensUntil - now);
  const accessToken = await makeAccessToken(key, {
    ...grant,
    ...wanted,
    issuer,
    resource: wanted.resource ?? grant.resource,
    clientHost: identityHostOf(clientOf(grant), settings),
    grantId: grant.id,
    scope,
    issuedAt: now,
    lifetimeSeconds,
  });
  return {
    access_token: accessToken,
    token_type: wanted.keyThumbprint === undefined ? "Bearer" : "DPoP",
    expires_in: lifetimeSeconds,
    scope,
    ...(wanted.act === undefined ? {} : { issued_token_type: ACCESS_TOKEN }),
    ...(granted.includes("offline_access")
      ? { refresh_token: await makeRefreshToken(keyring, { grantId: grant.id, generation: grant.generation }) }
      : {}),
  };
}

/** Returns the scopes of a grant that its client, its person's groups and the administrator's policy still allow. */
export async function grantedNow(
  appAccess: AppAccess,
  policy: RequestInstance["policy"],
  grant: TokenGrant,
): Promise<Scope[]> {
  const allowed = await appAccess.scopesFor(policy, clientOf(grant), grant);
  return parseScopes(grant.scope).filter((scope) => allowed.includes(scope));
}

/** Requires that a scope is left that is worth a token. @throws {OAuthError} `invalid_grant` */
export function requireOpening(scope: string[]): string[] {
  if (opensAnything(scope)) return scope;
  throw new OAuthError("invalid_grant", {
    reason: "scopes_no_longer_allowed",
    description: "An administrator no longer allows the scopes of this grant: authorize again",
  });
}

/** Makes the ID token that accompanies an access token, if its scope includes `openid`. */
export async function idTokenBeside(
  { access_token: accessToken, scope, expires_in: lifetimeSeconds }: TokenResponse,
  issuer: string,
  key: SigningKey,
  { personId, clientId, nonce }: TokenGrant,
  issuedAt: number,
): Promise<Pick<TokenResponse, "id_token">> {
  if (!parseScopes(scope).includes("openid")) return {};
  return {
    id_token: await makeIdToken(key, { issuer, personId, clientId, nonce, accessToken, issuedAt, lifetimeSeconds }),
  };
}

interface AccessTokenContent
  extends Pick<TokenGrant, "resource" | "personId" | "clientId" | "clientKind" | "clientApp" | "scope"> {
  readonly issuer: string;
  /** The known host by which its client has scopes that others don't have. */
  readonly clientHost?: string | undefined;
  readonly grantId: string;
  readonly issuedAt: number;
  readonly lifetimeSeconds: number;
  /** The key that the token is bound to (RFC 9449 §6.1); `undefined` makes a bearer token. */
  readonly keyThumbprint: string | undefined;
  /** The apps through which the access passed, if the token is exchanged. */
  readonly act?: ActingApp | undefined;
}

/** Makes a signed access token (RFC 9068 §2.2). */
export function makeAccessToken(key: SigningKey, content: AccessTokenContent): Promise<string> {
  const claims: AccessTokenClaims = {
    iss: content.issuer,
    sub: content.personId,
    aud: content.resource,
    exp: content.issuedAt + content.lifetimeSeconds,
    iat: content.issuedAt,
    nbf: content.issuedAt,
    jti: randomId(),
    client_id: content.clientId,
    client_kind: content.clientKind,
    ...(content.clientApp === content.clientId ? {} : { client_app: content.clientApp }),
    ...(content.clientHost === undefined ? {} : { client_host: content.clientHost }),
    scope: content.scope,
    grant_id: content.grantId,
    ...(content.keyThumbprint === undefined ? {} : { cnf: { jkt: content.keyThumbprint } }),
    ...(content.act === undefined ? {} : { act: content.act }),
  };
  return signJwt(key, ACCESS_TOKEN_TYPE, claims);
}
