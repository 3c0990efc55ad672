import { COUNT_OF_MARK, hashOf, MARKS, saturationOf } from "#documents/index-rules.ts";
import { bytesOf, type Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import { type Block, withBlocks } from "./blocks.ts";
import type { Cells } from "./cells.ts";

/** A common word, and how much it tells that a document holds it. */
export interface MarkedWord {
  /** Where its marks are. */
  readonly place: number;
  readonly rarity: number;
}

/** Documents by what their marks promise. */
export interface Marked {
  /** Those that weigh most, of equals the newest first. */
  readonly rows: readonly number[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
}

/** Steps in which promised weights are told apart. */
const STEPS = 4096;

/** The marks of all documents in memory: how often, about, they hold the words that most documents hold. */
export class Marks {
  readonly #store: Store;
  readonly #cells: Cells;
  #set = 0;
  #version = 0;
  #places: ReadonlyMap<number, number> = new Map();
  #marks = new Uint32Array(0);
  // What one search meets, kept because it may be as long as the index.
  #rows = new Uint32Array(0);
  #steps = new Uint16Array(0);

  constructor(store: Store, cells: Cells) {
    this.#store = store;
    this.#cells = cells;
  }

  /** Reads what was written since, as far as the cells were brought up to date: for a search that asks for marks. */
  refresh(): void {
    const [set] = this.#store.exec<{ id: number; hashes: ArrayBuffer | Uint8Array }>(
      "SELECT id, hashes FROM common_words WHERE marked IS NULL ORDER BY id DESC LIMIT 1",
    );
    if (!set) return;
    if (set.id !== this.#set) {
      this.#places = new Map(
        [...new Uint32Array(bytesOf(set.hashes).buffer).entries()].map(([at, hash]) => [hash, at]),
      );
      this.#marks.fill(0);
    } else if (this.#version === this.#cells.version) return;
    const changed = this.#store.exec<Block>(
      "SELECT block, marks AS numbers FROM marks WHERE words = ?1 AND version > ?2 ORDER BY block",
      set.id,
      set.id === this.#set ? this.#version : -1,
    );
    this.#marks = withBlocks(this.#marks, changed, MARKS.block * MARKS.size);
    this.#set = set.id;
    this.#version = this.#cells.version;
  }

  /** `undefined`: it is no common word. */
  placeOf(word: string): number | undefined {
    return this.#places.get(hashOf(word));
  }

  /**
   * Of the documents that count and hold all of the words, those that weigh most by their marks and lengths; of equals the newest.
   *
   * @param among newest first; `null`: all documents
   */
  heaviest(words: readonly MarkedWord[], among: readonly number[] | null, admission: Admission, max: number): Marked {
    const marks = this.#marks;
    const cells = this.#cells;
    const { averageLength } = admission;
    const masks = new Uint32Array(MARKS.size);
    const numbers = Uint8Array.from(words, ({ place }) => Math.floor(place / MARKS.inNumber));
    const shifts = Uint8Array.from(words, ({ place }) => (place % MARKS.inNumber) * MARKS.bits);
    const rarities = Float64Array.from(words, ({ rarity }) => rarity);
    for (const [at, number] of numbers.entries()) masks[number] = (masks[number] ?? 0) | (1 << (shifts[at] ?? 0));
    const used = [...new Set(numbers)];
    const scale =
      (STEPS - 1) /
      Math.max(
        rarities.reduce((sum, one) => sum + one, 0),
        Number.MIN_VALUE,
      );
    const holding = new Uint32Array(STEPS);
    this.#makeRoom(among?.length ?? admission.upTo);
    let met = 0;
    const see = (row: number): void => {
      const at = row * MARKS.size;
      for (const number of used) {
        const mark = marks[at + number] ?? 0;
        const mask = masks[number] ?? 0;
        if (((mark | (mark >>> 1)) & mask) >>> 0 !== mask) return;
      }
      if (!admission.has(row)) return;
      const saturation = saturationOf(cells.lengthOf(row), averageLength);
      let weight = 0;
      for (let word = 0; word < numbers.length; word++) {
        const count = COUNT_OF_MARK[((marks[at + (numbers[word] ?? 0)] ?? 0) >>> (shifts[word] ?? 0)) & 3] ?? 0;
        weight += ((rarities[word] ?? 0) * count) / (count + saturation);
      }
      const step = Math.floor(weight * scale);
      this.#rows[met] = row;
      this.#steps[met++] = step;
      holding[step] = (holding[step] ?? 0) + 1;
    };
    if (among === null) for (let row = admission.upTo; row > 0; row--) see(row);
    else for (const row of among) see(row);
    let least = STEPS - 1;
    let heavier = 0;
    for (; least >= 0 && heavier + (holding[least] ?? 0) <= max; least--) heavier += holding[least] ?? 0;
    let equal = max - heavier;
    const chosen: { readonly row: number; readonly weight: number }[] = [];
    for (let at = 0; at < met; at++) {
      const row = this.#rows[at] ?? 0;
      const weight = this.#steps[at] ?? 0;
      if (weight > least || (weight === least && equal-- > 0)) chosen.push({ row, weight });
    }
    chosen.sort((one, other) => other.weight - one.weight);
    return { rows: chosen.map(({ row }) => row), isComplete: chosen.length === met };
  }

  #makeRoom(documents: number): void {
    if (this.#rows.length >= documents) return;
    this.#rows = new Uint32Array(Math.ceil(documents * 1.2));
    this.#steps = new Uint16Array(this.#rows.length);
  }
}
