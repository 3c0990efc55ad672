import { base64url } from "jose";

/**
 * Returns the bytes of base64url, or `undefined` for a text that is not its only canonical form: no padding, no white space, no bits
 * left over.
 *
 * A lenient decoder accepts several spellings of one token, so another spelling could bypass whatever uses the spelling as its key
 * (caches, revocation).
 */
export function decodeCanonical(encoded: string): Uint8Array | undefined {
  try {
    const bytes = base64url.decode(encoded);
    return base64url.encode(bytes) === encoded ? bytes : undefined;
  } catch {
    return undefined;
  }
}
