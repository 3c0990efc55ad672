import { COUNT_OF_BYTE, hashOf } from "#documents/index-rules.ts";
import { bytesOf, type Store } from "#documents/store.ts";
import type { Cells } from "./cells.ts";
import type { SlotWords } from "./forms.ts";

/** How a document holds a word: as it was written, as that or a completion of it, as that or any other form. */
export const AS_WRITTEN = 0;
export const COMPLETED = 1;
export const IN_ANY_FORM = 2;
const WAYS = 3;

/** How often documents hold words, in each way; those with an unwanted word are left out. */
export class Tally {
  readonly slots: number;
  readonly rows: number[] = [];
  #counts = new Float32Array(64);

  constructor(slots: number) {
    this.slots = slots;
  }

  /** Weighted occurrences of a slot's word in the document at a place of `rows`. */
  count(at: number, slot: number, way: number): number {
    return this.#counts[(at * this.slots + slot) * WAYS + way] ?? 0;
  }

  /** How many of the documents hold a word. */
  holding(slot: number, way: number): number {
    let holding = 0;
    for (let at = 0; at < this.rows.length; at++) if (this.count(at, slot, way) > 0) holding++;
    return holding;
  }

  add(row: number, counts: Float32Array): void {
    const at = this.rows.length * counts.length;
    if (at + counts.length > this.#counts.length) {
      const grown = new Float32Array(Math.max(this.#counts.length * 2, at + counts.length));
      grown.set(this.#counts);
      this.#counts = grown;
    }
    this.#counts.set(counts, at);
    this.rows.push(row);
  }
}

/** Where a hash counts: slots and ways, as places of a document's counts. */
interface Targets {
  /** Added up. */
  readonly sums: number[];
  /** The greatest counts. */
  readonly peaks: number[];
}

const UNWANTED: Targets = { sums: [], peaks: [] };

/**
 * Counts the words in documents by their forward entries.
 *
 * @param rows the first ones are counted, up to `bytesMax` of forward entries, as their lengths tell
 */
export function tally(
  store: Store,
  cells: Cells,
  rows: readonly number[],
  words: readonly SlotWords[],
  unwanted: readonly string[],
  bytesMax: number,
): Tally {
  const targets = targetsOf(words, unwanted);
  const hashes = Uint32Array.from(targets.keys()).sort();
  const counted = new Tally(words.length);
  const counts = new Float32Array(words.length * WAYS);
  for (const { id, words: blob } of forwardOf(store, cells, rows, bytesMax)) {
    const bytes = bytesOf(blob);
    const size = bytes.length / 5;
    const held = new Uint32Array(bytes.buffer, 0, size);
    counts.fill(0);
    let isUnwanted = false;
    const meet = (hash: number, at: number) => {
      const target = targets.get(hash);
      if (target === undefined) return;
      if (target === UNWANTED) isUnwanted = true;
      const count = COUNT_OF_BYTE[bytes[size * 4 + at] ?? 0] ?? 0;
      for (const place of target.sums) counts[place] = (counts[place] ?? 0) + count;
      for (const place of target.peaks) counts[place] = Math.max(counts[place] ?? 0, count);
    };
    // Few words are looked up in many, or many in few: whichever takes fewer steps.
    if (hashes.length * Math.log2(size + 2) < size) {
      for (const hash of hashes) {
        const at = placeOf(held, hash);
        if (at >= 0) meet(hash, at);
      }
    } else {
      for (let at = 0; at < size; at++) meet(held[at] ?? 0, at);
    }
    if (!isUnwanted) counted.add(id, counts);
  }
  return counted;
}

function targetsOf(words: readonly SlotWords[], unwanted: readonly string[]): Map<number, Targets> {
  const targets = new Map<number, Targets>();
  const at = (hash: number) => {
    const known = targets.get(hash);
    if (known) return known;
    const made: Targets = { sums: [], peaks: [] };
    targets.set(hash, made);
    return made;
  };
  for (const [slot, { word, completions, forms }] of words.entries()) {
    const written = at(hashOf(word));
    written.sums.push(slot * WAYS + AS_WRITTEN, slot * WAYS + IN_ANY_FORM);
    written.peaks.push(slot * WAYS + COMPLETED);
    for (const completion of completions) at(hashOf(completion)).peaks.push(slot * WAYS + COMPLETED);
    for (const form of new Set([...completions, ...forms])) at(hashOf(form)).sums.push(slot * WAYS + IN_ANY_FORM);
  }
  for (const word of unwanted) targets.set(hashOf(word), UNWANTED);
  return targets;
}

interface ForwardRow {
  readonly id: number;
  readonly words: ArrayBuffer | Uint8Array;
}

function forwardOf(store: Store, cells: Cells, rows: readonly number[], bytesMax: number): readonly ForwardRow[] {
  let bytes = 0;
  const within = rows.findIndex((row) => (bytes += cells.lengthOf(row) * 5) > bytesMax);
  return store.exec<ForwardRow>(
    "SELECT f.id, f.words FROM json_each(?1) r CROSS JOIN forward f ON f.id = r.value",
    JSON.stringify(within < 0 ? rows : rows.slice(0, Math.max(within, 1))),
  );
}

/** Where a number is; -1 where it is not. */
export function placeOf(sorted: Uint32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle] ?? 0;
    if (value === wanted) return middle;
    if (value < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
