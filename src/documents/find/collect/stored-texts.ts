import type { Beginning } from "#documents/find/rank/nearness.ts";
import type { TextsOf } from "#documents/find/rank/phrases.ts";
import { INDEXED_CHARACTERS_MAX } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import type { DocumentTexts } from "#documents/write/word-counts.ts";

/** Documents whose texts are read at once, and the most bytes of each body. A larger document is read by itself. */
const READ_TOGETHER = 50;
const READ_BYTES = 8000;

/** Returns a reader of stored texts. It reads many at once, because a statement costs more than a text. */
export function storedTexts(store: Store): TextsOf {
  const read = new Map<number, DocumentTexts>();
  const readAll = (rows: readonly number[], bytes: number | null) => {
    for (const { id, ...texts } of store.exec<DocumentTexts & { id: number }>(
      `SELECT d.id, d.title, d.keywords, d.metadata_words AS metadata, substr(d.body, 1, ${INDEXED_CHARACTERS_MAX}) AS body
       FROM json_each(?1) r CROSS JOIN documents d ON d.id = r.value WHERE ?2 IS NULL OR octet_length(d.body) <= ?2`,
      JSON.stringify(rows),
      bytes,
    )) {
      read.set(id, texts);
    }
  };
  return (row, next) => {
    if (!read.has(row)) {
      read.clear();
      readAll(next().slice(0, READ_TOGETHER), READ_BYTES);
    }
    if (!read.has(row)) readAll([row], null);
    return read.get(row);
  };
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
