import { decodeCanonical } from "#crypto/base64url.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { base64url } from "jose";

/** Recognisable in logs and by secret scanners. */
const PREFIX = "ghr_";
const GRANT_ID_BYTES = 16;
const GENERATION_BYTES = 4;
const CLAIM_BYTES = GRANT_ID_BYTES + GENERATION_BYTES;

/** Grant id, generation, key mark and MAC: 54 bytes, so that base64url has no bit to spare and one spelling only. */
const TOKEN_BYTES = CLAIM_BYTES + 34;

const PURPOSE = "refresh-token";

/** What a genuine refresh token says. */
export interface RefreshTokenClaim {
  readonly grantId: string;
  readonly generation: number;
}

/**
 * The refresh token of a grant's generation. It is derived, not stored: refreshing the same token twice gives the same
 * successor, and a copy of the database holds nothing that refreshes.
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

/** What a refresh token says, or `undefined` when this service did not make it. */
export async function readRefreshToken(keyring: Keyring, token: string): Promise<RefreshTokenClaim | undefined> {
  if (!token.startsWith(PREFIX)) return undefined;
  const bytes = decodeCanonical(token.slice(PREFIX.length));
  if (bytes?.length !== TOKEN_BYTES) return undefined;
  const claim = new Uint8Array(bytes.subarray(0, CLAIM_BYTES));
  if (!(await keyring.verifyMacBytes(PURPOSE, claim, bytes.subarray(CLAIM_BYTES)))) return undefined;
  return {
    grantId: base64url.encode(claim.subarray(0, GRANT_ID_BYTES)),
    generation: new DataView(claim.buffer).getUint32(GRANT_ID_BYTES),
  };
}
