/** What a statement takes. Lists go as one value: see {@link numberList} and {@link textList}. */
export type SentValue = string | number | boolean | null | Uint8Array;

/** One instance's rows, within one transaction. In every statement `$1` is the instance; its other values are `$2` and so on. */
export interface Rows {
  readonly instanceId: number;
  all<Row = never>(statement: string, ...values: readonly SentValue[]): Promise<readonly Row[]>;
}

/** A server of PostgreSQL, and all that this room knows of it. */
export interface Database {
  /** One transaction that changes an instance's rows: all of it holds, or nothing. */
  write<Result>(instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result>;
  /** The same that changes nothing. All of its statements see the rows as they were at the first. */
  read<Result>(instanceId: number, act: (rows: Rows) => Promise<Result>): Promise<Result>;
}

/**
 * A text as the server takes it, in a value and in JSON: no text of its has NUL or half a character, and a statement with one fails,
 * which looks like an outage. In their place is a control character, which no name that is stored has: what is asked for by such a
 * name is nobody's.
 */
export function keepable(text: string): string {
  return text.replace(/[\0\ud800-\udfff]/gu, "\u007f");
}

/** A list of numbers as an array of PostgreSQL's. */
export function numberList(numbers: Iterable<number>): string {
  return `{${[...numbers].join(",")}}`;
}

/** A list of texts as an array of PostgreSQL's. */
export function textList(texts: Iterable<string>): string {
  return `{${Array.from(texts, (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`;
}
