import { bytesOf, type Store } from "#documents/store.ts";
import type { Cells } from "./cells.ts";

/** What one statement reads of forward entries: a value of SQLite's has at most two megabytes. */
const BYTES_A_READ = 1_000_000;

/**
 * Reads the first documents' forward entries, up to `bytesMax` as their lengths tell; a stretch of them as one value, because a row each
 * costs twice as much.
 *
 * @param see is called with the hashes of a document's words, in order, and their packed counts; both hold for the call alone
 */
export function eachForward(
  store: Store,
  cells: Cells,
  rows: readonly number[],
  bytesMax: number,
  see: (row: number, hashes: Uint32Array, packed: Uint8Array) => void,
): void {
  let hashes = new Uint32Array(1024);
  for (const stretch of stretchesOf(cells, rows, bytesMax)) {
    // Texts and blobs are bytes to SQLite; it joins only texts.
    const [read] = store.exec<{ ids: string; sizes: string; entries: ArrayBuffer | Uint8Array | null }>(
      `SELECT json_group_array(f.id) AS ids, json_group_array(octet_length(f.words)) AS sizes,
         CAST(group_concat(f.words, '') AS BLOB) AS entries
       FROM json_each(?1) r CROSS JOIN forward f ON f.id = r.value`,
      JSON.stringify(stretch),
    );
    if (!read?.entries) continue;
    const entries = bytesOf(read.entries);
    const sizes = JSON.parse(read.sizes) as number[];
    let from = 0;
    for (const [at, row] of (JSON.parse(read.ids) as number[]).entries()) {
      const size = sizes[at] ?? 0;
      const words = size / 5;
      if (words > hashes.length) hashes = new Uint32Array(words * 2);
      new Uint8Array(hashes.buffer).set(entries.subarray(from, from + words * 4));
      see(row, hashes.subarray(0, words), entries.subarray(from + words * 4, from + size));
      from += size;
    }
  }
}

function stretchesOf(cells: Cells, rows: readonly number[], bytesMax: number): readonly (readonly number[])[] {
  const stretches: number[][] = [];
  let total = 0;
  let bytes = 0;
  for (const row of rows) {
    const more = cells.lengthOf(row) * 5;
    total += more;
    if (total > bytesMax && stretches.length > 0) break;
    if (stretches.length === 0 || bytes + more > BYTES_A_READ) {
      stretches.push([]);
      bytes = 0;
    }
    stretches.at(-1)?.push(row);
    bytes += more;
  }
  return stretches;
}
