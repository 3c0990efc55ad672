import { FIELD_WEIGHTS } from "#documents/index-rules.ts";
import { wordsIn } from "#documents/words.ts";
import { IN_ANY_FORM, type SlotWords, soughtIn } from "#documents/find/query/slot-words.ts";
import { bestFirst, type RankedDocument, rowsOf } from "./rank.ts";
import { LOOSE_WEIGHT, NEAR_WORDS, NEAR_WORTH } from "./weights.ts";

/** A document's title, and the beginning of its body. */
export interface Beginning {
  readonly title: string;
  readonly body: string;
}

/** Returns the first documents of a search for several words. Quoted phrases are looked for in whole texts instead. */
export function beginningsToRead(
  ranked: readonly RankedDocument[],
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
 * @param idfs by slot and way
 */
export function byNearness(
  ranked: readonly RankedDocument[],
  words: readonly SlotWords[],
  idfs: readonly (readonly number[])[],
  beginnings: ReadonlyMap<number, Beginning>,
): readonly RankedDocument[] {
  const slots = soughtIn(words, { phrases: [] }).words;
  const idfOf = (slot: number) => idfs[slot]?.[IN_ANY_FORM] ?? 0;
  // Those of each word together with the one before it.
  const weights = words.map((_, slot) => slot && idfOf(slot - 1) + idfOf(slot));
  const all = weights.reduce((sum, weight) => sum + weight);
  return ranked
    .map((one) => {
      const read = beginnings.get(one.row);
      if (!read) return one;
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
      counts[later] = (counts[later] ?? 0) + (words === 1 && slot === later ? worth : worth * LOOSE_WEIGHT);
    }
    lastAt[slot] = at;
  }
}
