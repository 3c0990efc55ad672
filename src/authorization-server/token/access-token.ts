import type { TokenGrant } from "#grants/grant.ts";
import { randomId } from "#crypto/secrets.ts";
import { type SigningKey, signJwt } from "#crypto/signing-key.ts";
import { ACCESS_TOKEN_TYPE, type AccessTokenClaims, type ActingApp } from "#protocol/access-token-claims.ts";

export interface AccessTokenContent
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
