import { batchesOf } from "#documents/batches.ts";
import { bytesOf, type Store } from "#documents/store.ts";
import { type WordHash, wordHashOf } from "#documents/word-hash.ts";
import type { SlotWords } from "#documents/find/query/slot-words.ts";
import {
  countTerms,
  type RowsInARow,
  type SeeTermVector,
  type TermFrequencies,
} from "#documents/find/rank/term-frequencies.ts";
import type { DocValues } from "./doc-values.ts";

/** The bytes of term vectors that one statement reads. A value in SQLite has at most two megabytes. */
const BYTES_A_READ = 1_000_000;

/** Bytes per word: for its hash and packed count, and for the stretches of a long document that contain it. */
const COUNTED_BYTES = 5;
const STRETCH_BYTES = 8;

interface Entry {
  readonly hashes: Uint32Array;
  /** Packed counts. */
  readonly packed: Uint8Array;
}

/** The term vectors of one search's documents. Each is read only once, even if several steps use it. */
export class TermVectors {
  readonly #store: Store;
  readonly #docValues: DocValues;
  readonly #entries = new Map<number, Entry>();

  constructor(store: Store, docValues: DocValues) {
    this.#store = store;
    this.#docValues = docValues;
  }

  /** The hash that identifies words in the entries. */
  get hash(): WordHash {
    return wordHashOf(this.#store);
  }

  /**
   * Counts words in documents.
   *
   * @param rows the first of these are counted, up to `bytesMax` of term vectors
   * @param unwanted words that leave a document out
   */
  frequenciesOf(
    rows: readonly number[],
    words: readonly SlotWords[],
    unwanted: readonly string[],
    bytesMax: number,
    inARow: RowsInARow = new Map(),
  ): TermFrequencies {
    return countTerms(words, unwanted, inARow, this.hash, (see) => this.each(rows, bytesMax, see));
  }

  /**
   * Calls `see` with the entries of the first documents, including the one that reaches `bytesMax`. Most words of a long document occur
   * in it more than once, so its length says too little about the size of its entry.
   *
   * @param see gets the packed counts
   */
  each(rows: readonly number[], bytesMax: number, see: SeeTermVector): void {
    let bytes = 0;
    for (const batch of readsOf(this.#docValues, rows, COUNTED_BYTES)) {
      this.#read(batch);
      for (const row of batch) {
        const entry = this.#entries.get(row);
        if (!entry) continue;
        see(row, entry.hashes, entry.packed);
        bytes += entry.packed.length * COUNTED_BYTES;
        if (bytes >= bytesMax) return;
      }
    }
  }

  /**
   * Does the same for long documents, up to `bytesMax` of stretches.
   *
   * @param see gets the packed counts, followed by eight bytes of stretches per word
   */
  eachWithStretches(rows: readonly number[], bytesMax: number, see: SeeTermVector): void {
    let left = bytesMax;
    for (const batch of readsOf(this.#docValues, rows, STRETCH_BYTES)) {
      if (left <= 0) return;
      this.#read(batch);
      eachValue(this.#store, "stretches", batch, (row, stretches) => {
        const entry = this.#entries.get(row);
        left -= stretches.length;
        if (!entry || left < 0) return;
        const known = new Uint8Array(entry.packed.length + stretches.length);
        known.set(entry.packed);
        known.set(stretches, entry.packed.length);
        see(row, entry.hashes, known);
      });
    }
  }

  /** Reads entries that weren't read yet. @param batch no more than one statement reads */
  #read(batch: readonly number[]): void {
    const unread = batch.filter((row) => !this.#entries.has(row));
    // The hashes of a batch are copied into one array, because numbers of four bytes can't begin just anywhere.
    let hashes = new Uint32Array(0);
    let first = 0;
    eachValue(this.#store, "words", unread, (row, words, all) => {
      if (first === 0) hashes = new Uint32Array(all / COUNTED_BYTES);
      const count = words.length / COUNTED_BYTES;
      new Uint8Array(hashes.buffer, first * 4, count * 4).set(words.subarray(0, count * 4));
      this.#entries.set(row, { hashes: hashes.subarray(first, first + count), packed: words.subarray(count * 4) });
      first += count;
    });
  }
}

/**
 * Reads a column of many documents as one value, because a row for each costs twice as much.
 *
 * @param see also gets the number of bytes of all documents together
 */
function eachValue(
  store: Store,
  column: "words" | "stretches",
  rows: readonly number[],
  see: (row: number, value: Uint8Array<ArrayBuffer>, all: number) => void,
): void {
  if (rows.length === 0) return;
  // To SQLite, both texts and blobs are bytes, but it concatenates only texts.
  const [read] = store.exec<{ ids: string; sizes: string; entries: ArrayBuffer | Uint8Array | null }>(
    `SELECT json_group_array(f.id) AS ids, json_group_array(octet_length(f.${column})) AS sizes,
       CAST(group_concat(f.${column}, '') AS BLOB) AS entries
     FROM json_each(?1) r CROSS JOIN term_vectors f ON f.id = r.value WHERE f.${column} IS NOT NULL`,
    JSON.stringify(rows),
  );
  if (!read?.entries) return;
  const entries = bytesOf(read.entries);
  const sizes = JSON.parse(read.sizes) as number[];
  let from = 0;
  for (const [at, row] of (JSON.parse(read.ids) as number[]).entries()) {
    const size = sizes[at] ?? 0;
    see(row, entries.subarray(from, from + size), entries.length);
    from += size;
  }
}

/** Splits documents into batches that one statement can read, as far as their lengths tell. */
function readsOf(docValues: DocValues, rows: readonly number[], bytesAWord: number): readonly (readonly number[])[] {
  return [...batchesOf(rows, (row) => docValues.lengthOf(row) * bytesAWord, BYTES_A_READ)];
}
