import {
  FIELD_WEIGHTS,
  LONG_DOCUMENT_WORDS,
  PASSAGE_WORDS,
  placeOf,
  saturationOf,
  weightOf,
  wordsOfStretch,
} from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { partsOf, type SlotWords, wordsOf } from "#documents/find/query/slot-words.ts";
import type { SeeTermVector } from "./term-frequencies.ts";

/** Which stretches of a document contain a slot's word, and how much the word says. */
interface SlotStretches {
  readonly low: number;
  readonly high: number;
  readonly idf: number;
}

/**
 * Scores the best passages of the long documents among some, as far as the limits allow.
 *
 * @param idfs by slot, of words in this way
 * @returns by row
 */
export type PassageWeights = (
  rows: readonly number[],
  way: number,
  idfs: readonly number[],
) => ReadonlyMap<number, number>;

/**
 * Returns a function that scores the best passages. A long document contains many words somewhere, and its length lowers the weight of
 * words that are close together. So its best passage is scored like a document of the passage's length.
 *
 * @param each calls back with long documents and their stretches
 */
export function passageWeightsOf(
  words: readonly SlotWords[],
  hash: WordHash,
  lengthOf: (row: number) => number,
  averageLength: number,
  each: (rows: readonly number[], see: SeeTermVector) => void,
): PassageWeights {
  const usualLength = Math.min(averageLength, PASSAGE_WORDS);
  return (rows, way, idfs) => {
    const weights = new Map<number, number>();
    const long = rows.filter((row) => lengthOf(row) >= LONG_DOCUMENT_WORDS);
    if (long.length === 0) return weights;
    const sought = words.map((word) => wordsOf(word, way).map((one) => partsOf(one).map(hash)));
    each(long, (row, hashes, known) => {
      const bits = new DataView(known.buffer, known.byteOffset + hashes.length, hashes.length * 8);
      const slots = sought.map((alternatives, slot): SlotStretches => {
        const places = alternatives
          .map((inARow) => inARow.map((one) => placeOf(hashes, one)))
          .filter((all) => all.every((place) => place >= 0));
        const half = (offset: number) =>
          places.reduce(
            (any, all) => any | all.reduce((both, place) => both & bits.getUint32(place * 8 + offset, true), -1),
            0,
          );
        return { low: half(0), high: half(4), idf: idfs[slot] ?? 0 };
      });
      weights.set(row, bestPassage(lengthOf(row), slots, usualLength));
    });
    return weights;
  };
}

function bestPassage(length: number, slots: readonly SlotStretches[], usualLength: number): number {
  const size = wordsOfStretch(length);
  const inPassage = Math.max(1, Math.round(PASSAGE_WORDS / size));
  const saturation = saturationOf(size * inPassage, usualLength);
  const weights = new Float64Array(Math.ceil(length / size));
  for (const { low, high, idf } of slots) {
    if ((low | high) === 0) continue;
    const bit = (at: number) => ((at < 32 ? low : high) >>> (at & 31)) & 1;
    const holds = (stretch: number) => bit(stretch + 1);
    let count = bit(0) * FIELD_WEIGHTS.title;
    for (let last = 0; last < weights.length; last++) {
      count += holds(last) - (last >= inPassage ? holds(last - inPassage) : 0);
      if (count > 0) weights[last] = (weights[last] ?? 0) + weightOf(idf, count, saturation);
    }
  }
  return weights.reduce((most, one) => Math.max(most, one), 0);
}
