import type { Language } from "#documents/languages.ts";
import { bytesOf, type Store } from "#documents/store.ts";

/** What tells whether a document is nearly the same as others, and in which language it is. */
export interface Sketch {
  readonly hashes: Uint32Array;
  readonly language: Language | null;
}

/** Reads the sketches of documents. Those that are short, or weren't indexed since there are sketches, have none. */
export function sketchesOf(store: Store, rows: readonly number[]): ReadonlyMap<number, Sketch> {
  const read = store.exec<{ id: number; sketch: ArrayBuffer | Uint8Array | null; language: Language | null }>(
    `SELECT f.id, f.sketch, f.language FROM json_each(?1) r CROSS JOIN term_vectors f ON f.id = r.value`,
    JSON.stringify(rows),
  );
  return new Map(
    read.map(({ id, sketch, language }) => [
      id,
      { hashes: new Uint32Array(sketch === null ? new ArrayBuffer(0) : bytesOf(sketch).buffer), language },
    ]),
  );
}
