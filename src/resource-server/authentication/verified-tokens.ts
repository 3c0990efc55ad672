import { ByteBoundedMap } from "#platform/byte-bounded-map.ts";

/** What an isolate remembers of the verified tokens of one kind. It has 128 MB, and identity providers' tokens can be 16 KB each. */
const BYTES_MAX = 16_000_000;

/**
 * Returns a memory for tokens that this isolate has verified. They are recognised as a whole, character by character: another spelling
 * is another token. Only verified tokens get in, so nobody can fill the memory with made-up ones.
 */
export function verifiedTokens<Verified>(): ByteBoundedMap<string, Verified> {
  return new ByteBoundedMap(BYTES_MAX);
}
