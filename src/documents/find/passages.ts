import {
  FIELD_WEIGHTS,
  hashOf,
  LONG_DOCUMENT_WORDS,
  PASSAGE_WORDS,
  placeOf,
  saturationOf,
  weightOf,
  wordsOfStretch,
} from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import type { Cells } from "./cells.ts";
import type { SlotWords } from "./forms.ts";
import { eachWithStretches } from "./forward.ts";
import type { FindLimits } from "./limits.ts";
import { wordsOf } from "./tally.ts";

/** Where in a document a slot's word stands, and how much it tells. */
interface SlotStretches {
  readonly low: number;
  readonly high: number;
  readonly rarity: number;
}

/**
 * What the best passages of long documents weigh. A long document holds many words somewhere, and its length lowers the weight of words
 * that stand together. So its best passage is weighed as a document of the passage's length.
 */
export class Passages {
  readonly #store: Store;
  readonly #cells: Cells;
  readonly #words: readonly SlotWords[];
  readonly #usualLength: number;
  readonly #bytes: number;
  /** Documents of the first that are looked at. */
  readonly documents: number;

  constructor(store: Store, cells: Cells, words: readonly SlotWords[], admission: Admission, limits: FindLimits) {
    this.#store = store;
    this.#cells = cells;
    this.#words = words;
    this.#usualLength = Math.min(admission.averageLength, PASSAGE_WORDS);
    this.#bytes = limits.passageBytes;
    this.documents = limits.passages;
  }

  /** @param rarities by slot, of words in this way. @returns by row, of the long documents that the limits leave */
  weights(rows: readonly number[], way: number, rarities: readonly number[]): ReadonlyMap<number, number> {
    const weights = new Map<number, number>();
    const long = rows.filter((row) => this.#cells.lengthOf(row) >= LONG_DOCUMENT_WORDS);
    if (long.length === 0) return weights;
    const sought = this.#words.map((word) => wordsOf(word, way).map(hashOf));
    eachWithStretches(this.#store, this.#cells, long, this.#bytes, (row, hashes, known) => {
      const bits = new DataView(known.buffer, known.byteOffset + hashes.length, hashes.length * 8);
      const slots = sought.map((alternatives, slot): SlotStretches => {
        const places = alternatives.map((hash) => placeOf(hashes, hash)).filter((place) => place >= 0);
        const half = (offset: number) =>
          places.reduce((all, place) => all | bits.getUint32(place * 8 + offset, true), 0);
        return { low: half(0), high: half(4), rarity: rarities[slot] ?? 0 };
      });
      weights.set(row, this.#best(this.#cells.lengthOf(row), slots));
    });
    return weights;
  }

  #best(length: number, slots: readonly SlotStretches[]): number {
    const size = wordsOfStretch(length);
    const inPassage = Math.max(1, Math.round(PASSAGE_WORDS / size));
    const saturation = saturationOf(size * inPassage, this.#usualLength);
    const weights = new Float64Array(Math.ceil(length / size));
    for (const { low, high, rarity } of slots) {
      if ((low | high) === 0) continue;
      const bit = (at: number) => ((at < 32 ? low : high) >>> (at & 31)) & 1;
      const holds = (stretch: number) => bit(stretch + 1);
      let count = bit(0) * FIELD_WEIGHTS.title;
      for (let last = 0; last < weights.length; last++) {
        count += holds(last) - (last >= inPassage ? holds(last - inPassage) : 0);
        if (count > 0) weights[last] = (weights[last] ?? 0) + weightOf(rarity, count, saturation);
      }
    }
    return weights.reduce((most, one) => Math.max(most, one), 0);
  }
}
