import { atLevel, LEVELS, shareOf } from "#documents/index-rules.ts";
import type { Admission } from "./admission.ts";
import { placesOfGreatest } from "./greatest.ts";
import type { Lists } from "./lists.ts";
import { anyWordOf } from "./phrases.ts";

/** A word with those that stand for it, and how much it says that a document contains one of them. */
export interface QueryTerm {
  readonly words: readonly string[];
  readonly rarity: number;
  /** Every document with one of them, if these are few enough to be scored anyway; otherwise `null`. */
  readonly rows: readonly number[] | null;
}

/** The share of its weight that a word is assumed to have in a document for which no level was read. */
const MIDDLE_SHARE = shareOf(LEVELS / 2);

/**
 * The scores that documents promise, by row; 0: nothing was read about them. Kept between searches, because the arrays are as long as
 * the index.
 */
export class Gains {
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
 * Reads the index of levels from the heaviest level down, newest documents first, and adds what each admitted document gains to what
 * was added before.
 *
 * @param entries how many are used, all of admitted documents
 * @param enough for a single word: stops at this many admitted documents, because no later one weighs more
 */
export function gather(
  lists: Lists,
  gains: Gains,
  words: readonly QueryTerm[],
  admission: Admission,
  { entries, enough }: { readonly entries: number; readonly enough: number },
): void {
  for (const [slot, { rows, rarity }] of words.entries()) {
    for (const row of rows ?? []) if (admission.has(row)) gains.add(row, slot, rarity * MIDDLE_SHARE);
  }
  const levels = words.flatMap(({ words: alternatives, rarity, rows }, slot) =>
    rows !== null || alternatives.length === 0
      ? []
      : Array.from({ length: LEVELS }, (_, level) => ({ alternatives, slot, level, gain: rarity * shareOf(level) })),
  );
  let left = entries;
  for (const { alternatives, slot, level, gain } of levels.sort((one, other) => other.gain - one.gain)) {
    const expression = anyWordOf(alternatives.map((word) => atLevel(word, level)));
    const rows = lists.newest("levels", expression, admission, { max: left });
    for (const row of rows) gains.add(row, slot, gain);
    left -= rows.length;
    if (left <= 0 || (words.length === 1 && gains.size >= enough)) return;
  }
}
