import { COUNT_OF_MARK, hashOf, MARKS, marksOf, saturationOf } from "#documents/index-rules.ts";
import { bytesOf, type Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import { type Block, withBlocks } from "./blocks.ts";
import type { Cells } from "./cells.ts";
import { placesOfGreatest } from "./greatest.ts";
import { eachRow, eachRowOfPart, hasRow, rowsIn } from "./row-bits.ts";

/** A common word, and how much it tells that a document holds it. */
export interface MarkedWord {
  /** Where its marks are. */
  readonly slot: number;
  readonly rarity: number;
}

/** Documents by what their marks promise. */
export interface Marked {
  /** Those that weigh most, of equals the newest first. */
  readonly rows: readonly number[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
}

/** The marks of all documents in memory: how often, about, they hold the words that most documents hold. */
export class Marks {
  readonly #store: Store;
  readonly #cells: Cells;
  #set = 0;
  #slots: ReadonlyMap<number, number> = new Map();
  #numbers = new Uint32Array(0);
  /** Which set of words the numbers are of, and up to which version of the cells. */
  #read = { set: 0, version: 0 };

  constructor(store: Store, cells: Cells) {
    this.#store = store;
    this.#cells = cells;
  }

  /** Looks which words have marks now: at each search, before anything else. */
  refresh(): void {
    const [set] = this.#store.exec<{ id: number }>(
      "SELECT max(id) AS id FROM common_words WHERE marked IS NULL HAVING max(id) IS NOT NULL",
    );
    if (!set || set.id === this.#set) return;
    const [words] = this.#store.exec<{ hashes: ArrayBuffer | Uint8Array }>(
      "SELECT hashes FROM common_words WHERE id = ?1",
      set.id,
    );
    if (!words) return;
    const hashes = new Uint32Array(bytesOf(words.hashes).buffer);
    this.#slots = new Map([...hashes].map((hash, slot) => [hash, slot]));
    this.#set = set.id;
  }

  /** `undefined`: it is no common word. */
  slotOf(word: string): number | undefined {
    return this.#slots.get(hashOf(word));
  }

  /** What was written is read when a search first asks for marks. */
  #marks(): Uint32Array {
    const { set, version } = this.#read;
    if (set === this.#set && version === this.#cells.version) return this.#numbers;
    if (set !== this.#set) this.#numbers.fill(0);
    const changed = this.#store.exec<Block>(
      "SELECT block, marks AS numbers FROM marks WHERE words = ?1 AND version > ?2 ORDER BY block",
      this.#set,
      set === this.#set ? version : -1,
    );
    this.#numbers = withBlocks(this.#numbers, changed, MARKS.size);
    this.#read = { set: this.#set, version: this.#cells.version };
    return this.#numbers;
  }

  /** How many documents hold one of the words, how many of these count, and the newest of those, newest first. */
  holding(
    slots: readonly number[],
    { bits }: Admission,
    max: number,
  ): { readonly all: number; readonly counting: number; readonly rows: readonly number[] } {
    const holders = this.#holdersOf(slots);
    const rows: number[] = [];
    let all = 0;
    let counting = 0;
    for (let part = holders.length - 1; part >= 0; part--) {
      const held = holders[part] ?? 0;
      if (held === 0) continue;
      const seen = held & (bits[part] ?? 0);
      all += rowsIn(held);
      counting += rowsIn(seen);
      if (rows.length < max) eachRowOfPart(seen, part, (row) => rows.push(row));
    }
    return { all, counting, rows: rows.slice(0, max) };
  }

  /** Tells of each document that counts and holds a word what the word promises to weigh in it. */
  promises(word: MarkedWord, admission: Admission, tell: (row: number, weight: number) => void): void {
    const { rows } = this.holding([word.slot], admission, Number.POSITIVE_INFINITY);
    const weights = this.#weightsOf([word], rows, admission);
    for (let at = 0; at < rows.length; at++) tell(rows[at] ?? 0, weights[at] ?? 0);
  }

  /**
   * Of the documents that count and hold all of the words, those that weigh most by their marks and lengths; of equals the newest.
   *
   * @param among newest first; `null`: all documents
   */
  heaviest(words: readonly MarkedWord[], among: readonly number[] | null, admission: Admission, max: number): Marked {
    const all = admission.bits.slice();
    for (const { slot } of words) {
      const holders = this.#holdersOf([slot]);
      for (let part = 0; part < all.length; part++) all[part] = (all[part] ?? 0) & (holders[part] ?? 0);
    }
    const rows: number[] = [];
    if (among === null) eachRow(all, (row) => rows.push(row));
    else for (const row of among) if (hasRow(all, row)) rows.push(row);
    const weights = this.#weightsOf(words, rows, admission);
    const chosen = placesOfGreatest(weights, rows.length, max);
    chosen.sort((one, other) => (weights[other] ?? 0) - (weights[one] ?? 0));
    return { rows: chosen.map((place) => rows[place] ?? 0), isComplete: chosen.length === rows.length };
  }

  /** The documents that hold one of the words, a bit each. */
  #holdersOf(slots: readonly number[]): Uint32Array {
    const marks = this.#marks();
    const holders = new Uint32Array((marks.length / MARKS.size) * MARKS.plane);
    for (const slot of slots) {
      let part = 0;
      for (let at = marksOf(slot); at < marks.length; at += MARKS.size) {
        for (let low = at; low < at + MARKS.plane; low++, part++) {
          holders[part] = (holders[part] ?? 0) | (marks[low] ?? 0) | (marks[low + MARKS.plane] ?? 0);
        }
      }
    }
    return holders;
  }

  /** What the words promise to weigh together in each of the documents. */
  #weightsOf(words: readonly MarkedWord[], rows: readonly number[], { averageLength }: Admission): Float32Array {
    const marks = this.#marks();
    const weights = new Float32Array(rows.length);
    const saturations = new Float64Array(rows.length);
    for (let at = 0; at < rows.length; at++) {
      saturations[at] = saturationOf(this.#cells.lengthOf(rows[at] ?? 0), averageLength);
    }
    for (const { slot, rarity } of words) {
      const offset = marksOf(slot);
      for (let at = 0; at < rows.length; at++) {
        const row = rows[at] ?? 0;
        const bit = row & 31;
        const low = placeOf(row) + offset;
        const mark = (((marks[low] ?? 0) >>> bit) & 1) | ((((marks[low + MARKS.plane] ?? 0) >>> bit) & 1) << 1);
        const count = COUNT_OF_MARK[mark] ?? 0;
        weights[at] = (weights[at] ?? 0) + (rarity * count) / (count + (saturations[at] ?? 1));
      }
    }
    return weights;
  }
}

/** Where the marks of a document's first word are: the other words are behind it. */
function placeOf(row: number): number {
  return (row >>> MARKS.bits) * MARKS.size + ((row >>> 5) & (MARKS.plane - 1));
}
