import { isSignedBy, parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { SIGNING_ALGORITHM } from "#crypto/signing-key.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ACCESS_TOKEN_TYPE, type AccessTokenClaims, parseAccessTokenClaims } from "#protocol/access-token-claims.ts";
import { readRefreshToken, type RefreshTokenClaim } from "#grants/refresh-token.ts";

/** A token of this instance that a client sends to have it revoked, introspected or used. It may be expired or revoked. */
export type OwnToken =
  | ({ readonly type: "refresh_token" } & RefreshTokenClaim)
  | { readonly type: "access_token"; readonly grantId: string; readonly claims: AccessTokenClaims };

/** Reads and verifies a token. @returns `undefined` for anything that this instance did not make */
export async function readOwnToken(
  keyring: Keyring,
  { issuer, policy }: RequestInstance,
  token: string,
): Promise<OwnToken | undefined> {
  const refresh = await readRefreshToken(keyring, token);
  if (refresh) return { type: "refresh_token", ...refresh };
  const jwt = parseCompactJwt(token);
  // A kid that isn't a string matches no key. Converting it to one could throw, if it is an object with its own toString.
  const key = policy.publishedKeys.get(jwt?.header["kid"] as string);
  if (!jwt || !key || jwt.header["typ"] !== ACCESS_TOKEN_TYPE || jwt.payload["iss"] !== issuer) return undefined;
  if (!(await isSignedBy(jwt, key.publicJwk, [SIGNING_ALGORITHM]))) return undefined;
  const claims = parseAccessTokenClaims(jwt.payload);
  return claims && { type: "access_token", grantId: claims.grant_id, claims };
}
