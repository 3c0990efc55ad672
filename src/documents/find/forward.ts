import { bytesOf, type Store } from "#documents/store.ts";
import type { Cells } from "./cells.ts";

/** What one statement reads of forward entries: a value of SQLite's has at most two megabytes. */
const BYTES_A_READ = 1_000_000;

/** What is read of a word: its hash and packed count, and with the stretches of a long document these. */
const COUNTED = { columns: "f.words", bytes: 5 };
const IN_STRETCHES = { columns: "f.words || f.stretches", bytes: 13 };

/** Called with the hashes of a document's words, in order, and what is known of each; both hold for the call alone. */
export type SeeForward = (row: number, hashes: Uint32Array, known: Uint8Array) => void;

/**
 * Reads the first documents' forward entries, up to `bytesMax` as their lengths tell; many as one value, because a row each
 * costs twice as much.
 *
 * @param see is given the packed counts
 */
export function eachForward(
  store: Store,
  cells: Cells,
  rows: readonly number[],
  bytesMax: number,
  see: SeeForward,
): void {
  eachEntry(store, cells, rows, bytesMax, COUNTED, see);
}

/** The same of long documents. @param see is given the packed counts and, behind these, eight bytes of stretches a word */
export function eachWithStretches(
  store: Store,
  cells: Cells,
  rows: readonly number[],
  bytesMax: number,
  see: SeeForward,
): void {
  eachEntry(store, cells, rows, bytesMax, IN_STRETCHES, see);
}

function eachEntry(
  store: Store,
  cells: Cells,
  rows: readonly number[],
  bytesMax: number,
  { columns, bytes }: typeof COUNTED,
  see: SeeForward,
): void {
  let hashes = new Uint32Array(1024);
  for (const batch of batchesOf(cells, rows, bytesMax, bytes)) {
    // Texts and blobs are bytes to SQLite; it joins only texts.
    const [read] = store.exec<{ ids: string; sizes: string; entries: ArrayBuffer | Uint8Array | null }>(
      `SELECT json_group_array(f.id) AS ids, json_group_array(octet_length(${columns})) AS sizes,
         CAST(group_concat(${columns}, '') AS BLOB) AS entries
       FROM json_each(?1) r CROSS JOIN forward f ON f.id = r.value`,
      JSON.stringify(batch),
    );
    if (!read?.entries) continue;
    const entries = bytesOf(read.entries);
    const sizes = JSON.parse(read.sizes) as number[];
    let from = 0;
    for (const [at, row] of (JSON.parse(read.ids) as number[]).entries()) {
      const size = sizes[at] ?? 0;
      const words = size / bytes;
      if (words > hashes.length) hashes = new Uint32Array(words * 2);
      new Uint8Array(hashes.buffer).set(entries.subarray(from, from + words * 4));
      see(row, hashes.subarray(0, words), entries.subarray(from + words * 4, from + size));
      from += size;
    }
  }
}

function batchesOf(
  cells: Cells,
  rows: readonly number[],
  bytesMax: number,
  bytesAWord: number,
): readonly (readonly number[])[] {
  const batches: number[][] = [];
  let total = 0;
  let bytes = 0;
  for (const row of rows) {
    const more = cells.lengthOf(row) * bytesAWord;
    total += more;
    if (total > bytesMax && batches.length > 0) break;
    if (batches.length === 0 || bytes + more > BYTES_A_READ) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(row);
    bytes += more;
  }
  return batches;
}
