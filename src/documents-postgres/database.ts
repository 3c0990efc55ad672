/** A value that a statement takes. A list is sent as one value: see {@link numberList} and {@link textList}. */
export type SentValue = string | number | boolean | null | Uint8Array;

/**
 * One instance's rows, within one transaction. In every statement, `$1` is the instance; its other values are `$2` and so on.
 */
export interface Rows {
  readonly instanceId: number;
  /** Runs a statement, planned for its values. */
  all<Row = never>(statement: string, ...values: readonly SentValue[]): Promise<readonly Row[]>;
  /**
   * Runs a statement that finds its rows by a table's key. A connection plans it once, because no value would change the plan.
   */
  byKey<Row = never>(statement: string, ...values: readonly SentValue[]): Promise<readonly Row[]>;
}

/** The port to a PostgreSQL server. */
export interface Database {
  /** Runs a transaction that changes an instance's rows: all of it takes effect, or nothing. */
  write<Result>(instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result>;
  /** Runs a transaction that changes nothing. All its statements see the same snapshot. */
  read<Result>(instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result>;
}

/**
 * Replaces what PostgreSQL can't store in text or JSON: NUL and halves of surrogate pairs. A statement with one of these fails,
 * which looks like an outage. The replacement is a control character that no stored name contains, so such a name finds nothing.
 */
export function keepable(text: string): string {
  return text.replace(/[\0\ud800-\udfff]/gu, "\u007f");
}

/** Writes numbers as a PostgreSQL array. */
export function numberList(numbers: Iterable<number>): string {
  return `{${[...numbers].join(",")}}`;
}

/** Exists in every runtime that the driver runs in. */
declare const Buffer: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> & { swap32(): void } };

/** Decodes bytes that the server sent as base64. The result may start at any offset of its underlying buffer. */
export function decodeBase64(text: string): ReturnType<typeof Buffer.from> {
  return Buffer.from(text, "base64");
}

/** Reads the numbers of a PostgreSQL array. The server writes one in a fraction of the time that it needs for JSON. */
export function numbersIn(list: string): readonly number[] {
  return JSON.parse(`[${list.slice(1, -1)}]`) as number[];
}

/** Writes texts as a PostgreSQL array. */
export function textList(texts: Iterable<string>): string {
  return `{${Array.from(texts, (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`;
}
