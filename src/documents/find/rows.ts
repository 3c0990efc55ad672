import { type Store, type StoredValue, unpeeked } from "#documents/store.ts";

/** Returns the numbers of a statement's column `rows`, a JSON array, which is far cheaper than one row per number. */
export function numbersOf(store: Store, statement: string, ...values: readonly StoredValue[]): number[] {
  return valuesOf<number>(store, statement, values);
}

/** Does the same for texts. */
export function textsOf(store: Store, statement: string, ...values: readonly StoredValue[]): string[] {
  return valuesOf<string>(store, statement, values);
}

/** The most bytes of words that one statement returns: a value in SQLite has at most two megabytes. */
const WORDS_BYTES_MAX = 1_000_000;

/**
 * Returns the first of a statement's words, up to a number of bytes, whatever words documents brought.
 *
 * @param words a statement with the one column `word`, in order
 */
export function firstWordsOf(store: Store, words: string, ...values: readonly StoredValue[]): string[] {
  return textsOf(
    store,
    `SELECT json_group_array(word) AS rows FROM (
       SELECT word, sum(octet_length(word) + 3) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM (${words}))
     WHERE bytes <= ${WORDS_BYTES_MAX}`,
    ...values,
  );
}

function valuesOf<Value>(store: Store, statement: string, values: readonly StoredValue[]): Value[] {
  const [row] = store.exec<{ rows: string }>(statement, ...values);
  return row ? (JSON.parse(row.rows) as Value[]) : [];
}

/**
 * Returns the rows of an index that an expression finds, newest first.
 *
 * @param above only rows after this one
 * @param upTo only rows up to this one
 */
export function matchingRows(
  store: Store,
  index: "places" | "levels",
  expression: string,
  { above = 0, upTo, max }: { readonly above?: number; readonly upTo: number; readonly max: number },
): number[] {
  return numbersOf(
    store,
    `SELECT json_group_array(id) AS rows FROM (
       SELECT rowid AS id FROM ${index} WHERE ${index} MATCH ?1 AND rowid > ?2 AND rowid <= ?3 ORDER BY rowid DESC LIMIT ${unpeeked("?4")})`,
    expression,
    above,
    upTo,
    max,
  );
}
