import { BITMAP_BLOCK, COMMON_WORDS, COUNT_OF_COARSE_IMPACT, saturationOf } from "#documents/index-rules.ts";
import { bytesOf, type Store } from "#documents/store.ts";
import { wordHashOf } from "#documents/word-hash.ts";
import type { EligibleSet } from "./eligible-set.ts";
import type { DocValues } from "./doc-values.ts";
import { placesOfGreatest } from "./greatest.ts";
import { eachRow, eachRowOfPart, grown, hasRow, rowsIn } from "./row-bits.ts";

/** A common word, and how much it says that a document contains it. */
export interface BitmapWord {
  /** The position of its bitmaps. */
  readonly slot: number;
  readonly idf: number;
}

/** Documents by what their impacts promise. */
export interface HeaviestDocuments {
  /** The heaviest documents, newest first if equal. */
  readonly rows: readonly number[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
  /** How many there are together with the others. */
  readonly count: number;
}

/** The impact bitmaps of all documents in memory: roughly how often they contain the most common words. */
export class ImpactBitmaps {
  readonly #store: Store;
  readonly #docValues: DocValues;
  #set = 0;
  #slots: ReadonlyMap<number, number> = new Map();
  /** Each word's bits, to be read in sequence: a plane of low bits, then an equally long one of high bits. */
  #planes: Uint32Array<ArrayBuffer>[] = [];
  /** Which set of words the planes belong to, and up to which version of the doc values they are. */
  #read = { set: 0, version: 0 };

  constructor(store: Store, docValues: DocValues) {
    this.#store = store;
    this.#docValues = docValues;
  }

  /** Checks which words have bitmaps now. Call it in each search, before anything else. */
  refresh(): void {
    const [set] = this.#store.exec<{ id: number }>(
      "SELECT max(id) AS id FROM common_words WHERE mapped IS NULL HAVING max(id) IS NOT NULL",
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

  /** Returns a common word's position; `undefined`: the word isn't common. */
  slotOf(word: string): number | undefined {
    return this.#slots.get(wordHashOf(this.#store)(word));
  }

  /** Brings the planes up to date. Called when a search first needs bitmaps. */
  #refreshPlanes(): void {
    const { set, version } = this.#read;
    if (set === this.#set && version === this.#docValues.version) return;
    if (set !== this.#set) this.#planes = [];
    const changed = this.#store.exec<{ block: number; numbers: ArrayBuffer | Uint8Array }>(
      "SELECT block, bitmaps AS numbers FROM impact_bitmaps WHERE words = ?1 AND version > ?2 ORDER BY block",
      this.#set,
      set === this.#set ? version : -1,
    );
    const parts = ((changed.at(-1)?.block ?? -1) + 1) * BITMAP_BLOCK.plane;
    if (this.#planes.length === 0)
      this.#planes = Array.from({ length: COMMON_WORDS * 2 }, () => new Uint32Array(parts));
    else this.#planes = this.#planes.map((plane) => grown(plane, parts));
    const blocks = changed.map(({ numbers }) => new Uint32Array(bytesOf(numbers).buffer, 0, BITMAP_BLOCK.size));
    for (const [at, plane] of this.#planes.entries()) {
      const from = at * BITMAP_BLOCK.plane;
      for (const [place, { block }] of changed.entries()) {
        const numbers = blocks[place];
        for (let part = 0; part < BITMAP_BLOCK.plane; part++)
          plane[block * BITMAP_BLOCK.plane + part] = numbers?.[from + part] ?? 0;
      }
    }
    this.#read = { set: this.#set, version: this.#docValues.version };
  }

  /** How many numbers a plane has, of 32 documents each. */
  get #parts(): number {
    return this.#planes[0]?.length ?? 0;
  }

  #lowOf(slot: number): Uint32Array {
    return this.#planes[slot * 2] ?? NO_PLANE;
  }

  #highOf(slot: number): Uint32Array {
    return this.#planes[slot * 2 + 1] ?? NO_PLANE;
  }

  /** Returns how many documents contain one of the words, how many of them are eligible, and the newest of these. */
  documentFrequency(
    slots: readonly number[],
    { bits }: EligibleSet,
    max: number,
  ): { readonly all: number; readonly counting: number; readonly rows: readonly number[] } {
    this.#refreshPlanes();
    const rows: number[] = [];
    let all = 0;
    let counting = 0;
    const holders = this.#holdersOf(slots);
    for (let part = holders.length - 1; part >= 0; part--) {
      const held = holders[part] ?? 0;
      if (held === 0) continue;
      const seen = part < bits.length ? held & (bits[part] ?? 0) : 0;
      all += rowsIn(held);
      counting += rowsIn(seen);
      if (seen !== 0 && rows.length < max) eachRowOfPart(seen, part, (row) => rows.push(row));
    }
    return { all, counting, rows: rows.slice(0, max) };
  }

  /** Calls `tell` with each eligible document that contains a word, and the weight that the word promises in it. */
  promises(word: BitmapWord, eligible: EligibleSet, tell: (row: number, weight: number) => void): void {
    const { rows } = this.documentFrequency([word.slot], eligible, Number.POSITIVE_INFINITY);
    const weights = this.#weightsOf([word], rows, eligible);
    for (let at = 0; at < rows.length; at++) tell(rows[at] ?? 0, weights[at] ?? 0);
  }

  /**
   * Returns those eligible documents with all of the words that weigh most by their impacts and lengths, newest first if equal.
   *
   * @param among which documents, newest first; `null`: all
   */
  heaviest(
    words: readonly BitmapWord[],
    among: readonly number[] | null,
    eligible: EligibleSet,
    max: number,
  ): HeaviestDocuments {
    this.#refreshPlanes();
    const all = eligible.bits.slice(0, this.#parts);
    for (const { slot } of words) {
      const low = this.#lowOf(slot);
      const high = this.#highOf(slot);
      for (let part = 0; part < all.length; part++)
        all[part] = (all[part] ?? 0) & ((low[part] ?? 0) | (high[part] ?? 0));
    }
    const rows: number[] = [];
    if (among === null) eachRow(all, (row) => rows.push(row));
    else for (const row of among) if (hasRow(all, row)) rows.push(row);
    const weights = this.#weightsOf(words, rows, eligible);
    const chosen = placesOfGreatest(weights, rows.length, max);
    chosen.sort((one, other) => (weights[other] ?? 0) - (weights[one] ?? 0));
    const isComplete = chosen.length === rows.length;
    return { rows: chosen.map((place) => rows[place] ?? 0), isComplete, count: rows.length };
  }

  /** Returns the documents that contain one of the words, one bit each. */
  #holdersOf(slots: readonly number[]): Uint32Array {
    const holders = new Uint32Array(this.#parts);
    for (const slot of slots) {
      const low = this.#lowOf(slot);
      const high = this.#highOf(slot);
      for (let part = 0; part < holders.length; part++) {
        holders[part] = (holders[part] ?? 0) | (low[part] ?? 0) | (high[part] ?? 0);
      }
    }
    return holders;
  }

  /** Returns the weight that the words together promise in each of the documents. */
  #weightsOf(words: readonly BitmapWord[], rows: readonly number[], { averageLength }: EligibleSet): Float32Array {
    const weights = new Float32Array(rows.length);
    const saturations = new Float64Array(rows.length);
    for (let at = 0; at < rows.length; at++) {
      saturations[at] = saturationOf(this.#docValues.lengthOf(rows[at] ?? 0), averageLength);
    }
    for (const { slot, idf } of words) {
      const low = this.#lowOf(slot);
      const high = this.#highOf(slot);
      for (let at = 0; at < rows.length; at++) {
        const row = rows[at] ?? 0;
        const part = row >>> 5;
        const coarse = (((low[part] ?? 0) >>> (row & 31)) & 1) | ((((high[part] ?? 0) >>> (row & 31)) & 1) << 1);
        const count = COUNT_OF_COARSE_IMPACT[coarse] ?? 0;
        weights[at] = (weights[at] ?? 0) + (idf * count) / (count + (saturations[at] ?? 1));
      }
    }
    return weights;
  }
}

const NO_PLANE = new Uint32Array(0);
