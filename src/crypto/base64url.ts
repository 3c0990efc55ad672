import { base64url } from "jose";

const ALPHABET = /^[A-Za-z0-9_-]*$/;

/** The characters that may come last where they hold two bits, or four: the other bits are zero. */
const LAST_OF_TWO_BITS = "AQgw";
const LAST_OF_FOUR_BITS = "AEIMQUYcgkosw048";

/**
 * Whether a text is base64url that is written the one right way: no padding, no white space, no bits left over.
 *
 * A lenient decoder gives several spellings of one token, and whatever is keyed by the spelling (caches, revocation) can be
 * walked around with another one.
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

/** The bytes of base64url, or `undefined` for what is not {@link isCanonical}. */
export function decodeCanonical(encoded: string): Uint8Array | undefined {
  return isCanonical(encoded) ? base64url.decode(encoded) : undefined;
}
