import { IMPACT_BUCKETS, weightShareOf, withBucket } from "#documents/index-rules.ts";
import type { EligibleSet } from "./eligible-set.ts";
import { placesOfGreatest } from "./greatest.ts";
import type { Postings } from "./postings.ts";
import { anyWordOf } from "#documents/find/query/match-expressions.ts";

/** A word with those that stand for it, and how much it says that a document contains one of them. */
export interface QueryTerm {
  readonly words: readonly string[];
  readonly idf: number;
  /** Every document with one of them, if these are few enough to be scored anyway; otherwise `null`. */
  readonly rows: readonly number[] | null;
}

/** The share of its weight that a word is assumed to have in a document for which no bucket was read. */
export const MIDDLE_SHARE = weightShareOf(IMPACT_BUCKETS / 2);

/**
 * The scores that documents promise, by row; 0: nothing was read about them. Kept between searches, because the arrays are as long as
 * the index.
 */
export class Accumulator {
  #gains = new Float32Array(0);
  #slots = new Uint32Array(0);
  readonly #met: number[] = [];

  /** Removes all gains and makes room for rows up to `upTo`. */
  reset(upTo: number): void {
    if (this.#gains.length <= upTo) {
      this.#gains = new Float32Array(Math.ceil((upTo + 1) * 1.2));
      this.#slots = new Uint32Array(this.#gains.length);
    } else {
      for (const row of this.#met) {
        this.#gains[row] = 0;
        this.#slots[row] = 0;
      }
    }
    this.#met.length = 0;
  }

  /** Adds a word's gain to a document, unless the document already gained from a heavier form of the word. */
  add(row: number, slot: number, gain: number): void {
    const before = this.#slots[row] ?? 0;
    const bit = 1 << slot;
    if ((before & bit) !== 0) return;
    if (before === 0) this.#met.push(row);
    this.#slots[row] = before | bit;
    this.#gains[row] = (this.#gains[row] ?? 0) + gain;
  }

  of(row: number): number {
    return this.#gains[row] ?? 0;
  }

  /** The number of documents about which something was read. */
  get size(): number {
    return this.#met.length;
  }

  /**
   * Returns the `max` documents that gain most, unordered. Among those with about the last one's gain, first met wins.
   */
  greatest(max: number): number[] {
    const met = this.#met;
    const gains = new Float32Array(met.length);
    for (let place = 0; place < met.length; place++) gains[place] = this.#gains[met[place] ?? 0] ?? 0;
    return placesOfGreatest(gains, met.length, max).map((place) => met[place] ?? 0);
  }
}

/**
 * Reads the index of impacts from the heaviest bucket down, newest documents first, and adds what each eligible document gains to what
 * was added before.
 *
 * @param entries how many are used, all of eligible documents
 * @param enough for a single word: stops at this many eligible documents, because no later one weighs more
 */
export function gather(
  postings: Postings,
  accumulator: Accumulator,
  words: readonly QueryTerm[],
  eligible: EligibleSet,
  { entries, enough }: { readonly entries: number; readonly enough: number },
): void {
  for (const [slot, { rows, idf }] of words.entries()) {
    for (const row of rows ?? []) if (eligible.has(row)) accumulator.add(row, slot, idf * MIDDLE_SHARE);
  }
  const buckets = words.flatMap(({ words: alternatives, idf, rows }, slot) =>
    rows !== null || alternatives.length === 0
      ? []
      : Array.from({ length: IMPACT_BUCKETS }, (_, bucket) => ({
          alternatives,
          slot,
          bucket,
          gain: idf * weightShareOf(bucket),
        })),
  );
  let left = entries;
  for (const { alternatives, slot, bucket, gain } of buckets.sort((one, other) => other.gain - one.gain)) {
    const expression = anyWordOf(alternatives.map((word) => withBucket(word, bucket)));
    const rows = postings.newest("impacts", expression, eligible, { max: left });
    for (const row of rows) accumulator.add(row, slot, gain);
    left -= rows.length;
    if (left <= 0 || (words.length === 1 && accumulator.size >= enough)) return;
  }
}
