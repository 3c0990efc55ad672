import { type SigningKey, signJwt } from "#crypto/signing-key.ts";
import { utf8 } from "#crypto/utf8.ts";
import { base64url } from "jose";

/** The `typ` of ID tokens. That of access tokens is `at+jwt`, so an ID token never passes for one. */
const ID_TOKEN_TYPE = "JWT";

export interface IdTokenContent {
  readonly issuer: string;
  readonly personId: string;
  readonly clientId: string;
  readonly nonce: string | null;
  readonly accessToken: string;
  readonly issuedAt: number;
  readonly lifetimeSeconds: number;
}

/**
 * Makes a signed ID token (OpenID Connect Core §2). It is for the client alone: its audience is not a resource, so no gate
 * accepts it. `at_hash` ties it to the access token that was issued with it (§3.1.3.6).
 */
export async function makeIdToken(key: SigningKey, content: IdTokenContent): Promise<string> {
  return signJwt(key, ID_TOKEN_TYPE, {
    iss: content.issuer,
    sub: content.personId,
    aud: content.clientId,
    exp: content.issuedAt + content.lifetimeSeconds,
    iat: content.issuedAt,
    at_hash: await leftHalfHash(content.accessToken),
    ...(content.nonce === null ? {} : { nonce: content.nonce }),
  });
}

/** Returns the left half of the token's SHA-256 hash, which is the hash that belongs to ES256. */
async function leftHalfHash(token: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", utf8(token));
  return base64url.encode(new Uint8Array(hash, 0, 16));
}
