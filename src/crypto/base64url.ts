import { base64url } from "jose";

const ALPHABET = /^[A-Za-z0-9_-]*$/;

/** The possible last characters if they carry two bits, or four: the remaining bits are zero. */
const LAST_OF_TWO_BITS = "AQgw";
const LAST_OF_FOUR_BITS = "AEIMQUYcgkosw048";

/**
 * Checks whether a text is base64url in its only canonical form: no padding, no white space, no bits left over.
 *
 * A lenient decoder accepts several spellings of one token, so another spelling could bypass whatever uses the spelling as its key
 * (caches, revocation).
 */
export function isCanonical(encoded: string): boolean {
  if (!ALPHABET.test(encoded)) return false;
  const last = encoded.slice(-1);
  switch (encoded.length % 4) {
    case 0:
      return true;
    case 2:
      return LAST_OF_TWO_BITS.includes(last);
    case 3:
      return LAST_OF_FOUR_BITS.includes(last);
    default:
      return false;
  }
}

/** Returns the bytes of base64url, or `undefined` for a text that is not {@link isCanonical}. */
export function decodeCanonical(encoded: string): Uint8Array | undefined {
  return isCanonical(encoded) ? base64url.decode(encoded) : undefined;
}
