import { FIELD_WEIGHTS } from "#documents/index-rules.ts";
import { wordsIn } from "#documents/words.ts";
import { type SlotWords, soughtIn } from "./forms.ts";
import { bestFirst, type Ranked, rowsOf } from "./rank.ts";
import { IN_ANY_FORM } from "./tally.ts";

/** By how much the score of a document increases if all words are next to those that they were typed next to. */
const NEAR_WORTH = 0.3;

/** The most words from one word to the next if they are near each other. Words that only join others count. */
const NEAR_WORDS = 4;

/** The weight of words that are near each other, but not in a row as typed. */
const LOOSE = 0.5;

/** A document's title, and the beginning of its body if it is wanted. */
export interface Beginning {
  readonly title: string;
  readonly body: string | null;
}

/** Returns the first documents of a search for several words. Quoted phrases are looked for in whole texts instead. */
export function beginningsToRead(
  ranked: readonly Ranked[],
  words: readonly SlotWords[],
  max: number,
): readonly number[] {
  if (words.length === 1 || words.some(({ isRequired }) => isRequired)) return [];
  return rowsOf(ranked.slice(0, max));
}

/**
 * Increases the scores of documents in which words are near each other as they were typed. The passages of long documents show this
 * less precisely, and short ones have none.
 *
 * @param rarities by slot and way
 */
export function byNearness(
  ranked: readonly Ranked[],
  words: readonly SlotWords[],
  rarities: readonly (readonly number[])[],
  beginnings: ReadonlyMap<number, Beginning>,
): readonly Ranked[] {
  const slots = soughtIn(words, { phrases: [] }).words;
  const rarityOf = (slot: number) => rarities[slot]?.[IN_ANY_FORM] ?? 0;
  // Those of each word together with the one before it.
  const weights = words.map((_, slot) => slot && rarityOf(slot - 1) + rarityOf(slot));
  const all = weights.reduce((sum, weight) => sum + weight);
  return ranked
    .map((one) => {
      const read = beginnings.get(one.row);
      if (read?.body == null) return one;
      const counts = weights.map(() => 0);
      countPairs(read.title, slots, FIELD_WEIGHTS.title, counts);
      countPairs(read.body, slots, FIELD_WEIGHTS.body, counts);
      const share = counts.reduce((sum, count, slot) => sum + ((weights[slot] ?? 0) * count) / (count + 1), 0) / all;
      return { ...one, score: one.score * (1 + NEAR_WORTH * share) };
    })
    .sort(bestFirst);
}

/** Adds to the count of each word how often it is near the one before it. */
function countPairs(text: string, slots: ReadonlyMap<string, number>, worth: number, counts: number[]): void {
  const lastAt = counts.map(() => Number.NEGATIVE_INFINITY);
  for (const [at, word] of wordsIn(text).entries()) {
    const slot = slots.get(word);
    if (slot === undefined) continue;
    for (const other of [slot - 1, slot + 1]) {
      const words = at - (lastAt[other] ?? Number.NEGATIVE_INFINITY);
      if (words > NEAR_WORDS) continue;
      const later = Math.max(slot, other);
      counts[later] = (counts[later] ?? 0) + (words === 1 && slot === later ? worth : worth * LOOSE);
    }
    lastAt[slot] = at;
  }
}
