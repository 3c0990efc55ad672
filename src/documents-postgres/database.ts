/** What a statement takes. Lists go as one value: see {@link numberList} and {@link textList}. */
export type SentValue = string | number | boolean | null | Uint8Array;

/** One instance's rows, within one transaction. In every statement `$1` is the instance; its other values are `$2` and so on. */
export interface Rows {
  readonly instanceId: number;
  /** The statement is planned for its values. */
  all<Row = never>(statement: string, ...values: readonly SentValue[]): Promise<readonly Row[]>;
  /** The same for a statement that finds its rows by a table's key: a connection plans it once, because no value would change the plan. */
  byKey<Row = never>(statement: string, ...values: readonly SentValue[]): Promise<readonly Row[]>;
}

/** A PostgreSQL server, as far as this room knows it. */
export interface Database {
  /** One transaction that changes an instance's rows: all or nothing. */
  write<Result>(instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result>;
  /** One transaction that changes nothing. All its statements see the same snapshot. */
  read<Result>(instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result>;
}

/**
 * Replaces what PostgreSQL can't store in text, alone or in JSON: NUL and halves of surrogate pairs. A statement with one fails, which
 * looks like an outage. The replacement is a control character that no stored name contains, so such a name finds nothing.
 */
export function keepable(text: string): string {
  return text.replace(/[\0\ud800-\udfff]/gu, "\u007f");
}

/** Numbers as a PostgreSQL array. */
export function numberList(numbers: Iterable<number>): string {
  return `{${[...numbers].join(",")}}`;
}

/** Every runtime that the driver runs in has it. */
declare const Buffer: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> & { swap32(): void } };

/** Bytes that the server sent as base64. They may begin anywhere in their buffer. */
export function decodeBase64(text: string): ReturnType<typeof Buffer.from> {
  return Buffer.from(text, "base64");
}

/** The numbers of a PostgreSQL array. The server writes one in a fraction of the time that it takes for JSON. */
export function numbersIn(list: string): readonly number[] {
  return JSON.parse(`[${list.slice(1, -1)}]`) as number[];
}

/** Texts as a PostgreSQL array. */
export function textList(texts: Iterable<string>): string {
  return `{${Array.from(texts, (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`;
}
