import { base64url } from "jose";

/**
 * Decodes base64url that is written the one right way: no padding, no white space, no bits left over.
 *
 * A lenient decoder gives several spellings of one token, and whatever is keyed by the spelling (caches, revocation) can be
 * walked around with another one.
 *
 * @returns the bytes, or `undefined` for anything else
 */
export function decodeCanonical(encoded: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(encoded)) return undefined;
  try {
    const bytes = base64url.decode(encoded);
    return base64url.encode(bytes) === encoded ? bytes : undefined;
  } catch {
    return undefined;
  }
}
