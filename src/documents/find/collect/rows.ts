import type { Store, StoredValue } from "#documents/store.ts";

/** Returns the numbers of a statement's column `rows`, a JSON array, which is far cheaper than one row per number. */
export function numbersOf(store: Store, statement: string, ...values: readonly StoredValue[]): number[] {
  return valuesOf<number>(store, statement, values);
}

/** Does the same for texts. */
function textsOf(store: Store, statement: string, ...values: readonly StoredValue[]): string[] {
  return valuesOf<string>(store, statement, values);
}

/** Returns those of the words that are in the vocabulary. */
export function knownAmong(store: Store, words: readonly string[]): string[] {
  return textsOf(
    store,
    "SELECT json_group_array(v.word) AS rows FROM json_each(?1) s CROSS JOIN vocabulary v ON v.word = s.value",
    JSON.stringify(words),
  );
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
