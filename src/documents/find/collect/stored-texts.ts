import type { Beginning } from "#documents/find/rank/nearness.ts";
import { INDEXED_CHARACTERS_MAX } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import type { DocumentTexts } from "#documents/write/word-counts.ts";

/** Documents whose texts are read at once, because a statement costs more than a text. */
const READ_TOGETHER = 20;

/** Reads stored texts, as far as they are indexed. */
export function* storedTexts(store: Store, rows: readonly number[]): Generator<DocumentTexts & { id: number }> {
  for (let from = 0; from < rows.length; from += READ_TOGETHER) {
    yield* store.exec<DocumentTexts & { id: number }>(
      `SELECT d.id, d.title, d.keywords, d.metadata_words AS metadata, substr(d.body, 1, ${INDEXED_CHARACTERS_MAX}) AS body
       FROM json_each(?1) r CROSS JOIN documents d ON d.id = r.value`,
      JSON.stringify(rows.slice(from, from + READ_TOGETHER)),
    );
  }
}

/** Returns the titles of documents. */
export function storedTitles(store: Store, rows: readonly number[]): ReadonlyMap<number, string> {
  const read = store.exec<{ id: number; title: string }>(
    "SELECT d.id, d.title FROM json_each(?1) r CROSS JOIN documents d ON d.id = r.value",
    JSON.stringify(rows),
  );
  return new Map(read.map(({ id, title }) => [id, title]));
}

/** Returns the titles of documents, and the beginnings of their bodies. */
export function storedBeginnings(
  store: Store,
  rows: readonly number[],
  characters: number,
): ReadonlyMap<number, Beginning> {
  const read = store.exec<Beginning & { id: number }>(
    "SELECT d.id, d.title, substr(d.body, 1, ?2) AS body FROM json_each(?1) r CROSS JOIN documents d ON d.id = r.value",
    JSON.stringify(rows),
    characters,
  );
  return new Map(read.map((one) => [one.id, one]));
}
