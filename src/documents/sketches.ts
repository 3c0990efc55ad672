import { wordHash } from "./word-hash.ts";

/**
 * Sketches of texts, from which it can be told how many words two documents share: the smallest hashes of their words (Broder's
 * "bottom k"). Hashes have no secret key, so that several objects can compare theirs.
 */

const WORDS = 64;

/** A text of fewer different words has no sketch: short texts are alike by chance. */
const WORDS_MIN = 40;

/** From this share of words in common on, documents are nearly the same: editions of a page, copies with another frame. */
const RESEMBLANCE_MIN = 0.85;

const DIFFERENT_MAX = WORDS * (1 - RESEMBLANCE_MIN);

export const sketchHash = wordHash([0x6b656570, 0x616c696b]);

/** Returns the sketch of a text with these words, four bytes a hash, in order; `null`: the text is too short. */
export function sketchOf(words: ReadonlySet<string>): Uint8Array<ArrayBuffer> | null {
  if (words.size < WORDS_MIN) return null;
  const hashes = Uint32Array.from(words, sketchHash).sort().slice(0, WORDS);
  return new Uint8Array(hashes.buffer);
}

/** Checks whether documents with these sketches are nearly the same. */
export function isNearlySame(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  let [same, all] = [0, 0];
  // Most pairs differ in so many hashes that a few of them show it.
  for (
    let at = 0, place = 0;
    at < one.length && place < other.length && all < WORDS && all - same <= DIFFERENT_MAX;
    all++
  ) {
    const [here = 0, there = 0] = [one[at], other[place]];
    if (here === there) same++;
    if (here <= there) at++;
    if (there <= here) place++;
  }
  return all > 0 && same / all >= RESEMBLANCE_MIN;
}
