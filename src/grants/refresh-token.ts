import { decodeCanonical } from "#crypto/base64url.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { base64url } from "jose";

/** Makes refresh tokens recognisable in logs and by secret scanners. */
const PREFIX = "ghr_";
const GRANT_ID_BYTES = 16;
const GENERATION_BYTES = 4;
const CLAIM_BYTES = GRANT_ID_BYTES + GENERATION_BYTES;

/**
 * Length of a token in bytes: grant id, generation, key mark and MAC. 54 bytes fill base64url without spare bits, so there is
 * only one spelling.
 */
const TOKEN_BYTES = CLAIM_BYTES + 34;

const PURPOSE = "refresh-token";

/** The content of a genuine refresh token. */
export interface RefreshTokenClaim {
  readonly grantId: string;
  readonly generation: number;
}

/**
 * Makes the refresh token for a generation of a grant. It is derived and not stored: refreshing the same token twice gives the
 * same successor, and a copy of the database contains nothing that can refresh.
 */
export async function makeRefreshToken(keyring: Keyring, { grantId, generation }: RefreshTokenClaim): Promise<string> {
  const claim = new Uint8Array(CLAIM_BYTES);
  claim.set(base64url.decode(grantId));
  new DataView(claim.buffer).setUint32(GRANT_ID_BYTES, generation);
  const token = new Uint8Array(TOKEN_BYTES);
  token.set(claim);
  token.set(await keyring.macBytes(PURPOSE, claim), CLAIM_BYTES);
  return PREFIX + base64url.encode(token);
}

/** Checks whether a text begins like a refresh token, to tell somebody who sends one as an access token. */
export function looksLikeRefreshToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Returns the content of a refresh token, or `undefined` if this service did not make it. */
export async function readRefreshToken(keyring: Keyring, token: string): Promise<RefreshTokenClaim | undefined> {
  if (!looksLikeRefreshToken(token)) return undefined;
  const bytes = decodeCanonical(token.slice(PREFIX.length));
  if (bytes?.length !== TOKEN_BYTES) return undefined;
  const claim = new Uint8Array(bytes.subarray(0, CLAIM_BYTES));
  if (!(await keyring.verifyMacBytes(PURPOSE, claim, bytes.subarray(CLAIM_BYTES)))) return undefined;
  return {
    grantId: base64url.encode(claim.subarray(0, GRANT_ID_BYTES)),
    generation: new DataView(claim.buffer).getUint32(GRANT_ID_BYTES),
  };
}
