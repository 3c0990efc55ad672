import { anyWordOf } from "#documents/find/query/match-expressions.ts";
import { type Store, unpeeked } from "#documents/store.ts";
import type { Reading } from "#documents/find/reading.ts";
import { hasRow, newestRow } from "./row-bits.ts";
import { numbersOf } from "./rows.ts";

/** The first step reads this many entries more than are wanted. Nearly all lists are shorter, or enough of these count. */
const MORE_ENTRIES = 100;

/** If none of the entries counts, the next step reads this many times as many. */
const GROWTH = 8;

/** The most rows that a step spans. In a longer one, each entry costs twice as much. */
const ROWS_A_STEP = 20_000;

/** Looking a word up costs as much as reading this many entries. */
const ENTRIES_OF_A_WORD = 30;

/** About how many entries a step reads for an expression that finds few of those that it reads. */
export const ENTRIES_A_SPAN = 50_000;

type Index = "postings" | "impacts";

/** Which documents count, one bit each, up to the newest row that is considered. */
export interface DocumentBits {
  readonly bits: Uint32Array;
  readonly upTo: number;
}

/** How far a list was read, from the newest row down. */
interface Progress {
  /** Documents that count, newest first. */
  readonly rows: number[];
  /** All rows after this one were read. */
  above: number;
  /** How many entries, for documents that count or others. */
  entries: number;
}

/** How much of a list is wanted. */
interface ReadLimit {
  /** The most documents. If there are fewer, these are all. */
  readonly max: number;
  /** Only documents after this row. */
  readonly above?: number;
  /** How many rows have {@link ENTRIES_A_SPAN}, for an expression that finds few of the entries that it reads. */
  readonly span?: number;
}

/**
 * The lists of an index, as far as a person may see their documents. What is returned, and where a list is cut, depends on these
 * documents alone: entries of others cost time and change nothing.
 */
export class Postings {
  readonly #store: Store;
  readonly #reading: Reading;

  constructor(store: Store, reading: Reading) {
    this.#store = store;
    this.#reading = reading;
  }

  /**
   * Returns the newest documents that an expression finds and that count, newest first.
   *
   * @param words how many words are looked up
   */
  newest(
    index: Index,
    expression: string,
    { bits, upTo }: DocumentBits,
    { max, above = 0, span }: ReadLimit,
    words = 1,
  ): readonly number[] {
    const progress = this.#progressOf(index, expression, upTo);
    const counts = (row: number) => row > above && hasRow(bits, row);
    let { rows } = progress;
    while (rows.length < max) {
      // Skips rows that don't count, however many they are.
      const until = newestRow(bits, progress.above);
      if (until <= above) break;
      this.#reading.requireTurn();
      const isFirst = progress.above === upTo && span === undefined;
      const from = isFirst ? 0 : Math.max(until - (span ?? spanOf(progress, upTo, max)), 0);
      const most = isFirst ? Math.min(max, ROWS_A_STEP) + MORE_ENTRIES : until - from;
      const found = this.#matching(index, expression, { above: from, upTo: until, max: most });
      for (const row of found) if (hasRow(bits, row)) rows.push(row);
      progress.above = found.length < most ? from : (found.at(-1) ?? 1) - 1;
      progress.entries += found.length;
      const read = span === undefined ? found.length : (ENTRIES_A_SPAN * (until - from)) / span;
      this.#reading.note(read + words * ENTRIES_OF_A_WORD);
    }
    // What somebody may see can change between two turns.
    rows = rows.filter(counts);
    return rows.length > max ? rows.slice(0, max) : rows;
  }

  /** Checks whether an expression finds a document that counts. @param words how many words are looked up */
  has(index: Index, expression: string, bits: DocumentBits, words = 1): boolean {
    return this.newest(index, expression, bits, { max: 1 }, words).length > 0;
  }

  /** Checks whether a document that counts contains one of the words. */
  hasAny(words: readonly string[], bits: DocumentBits): boolean {
    return words.length > 0 && this.has("postings", anyWordOf(words), bits, words.length);
  }

  /** Returns about how many entries a list has, as far as it was read. Only the time that a search takes may depend on it. */
  entriesOf(index: Index, expression: string, { upTo }: DocumentBits): number {
    const { above, entries } = this.#progressOf(index, expression, upTo);
    return above === 0 ? entries : Math.ceil((entries * upTo) / Math.max(upTo - above, 1));
  }

  #progressOf(index: Index, expression: string, upTo: number): Progress {
    return this.#reading.of(`${index} ${upTo} ${expression}`, () => ({ rows: [], above: upTo, entries: 0 }));
  }

  #matching(
    index: Index,
    expression: string,
    { above, upTo, max }: { readonly above: number; readonly upTo: number; readonly max: number },
  ): readonly number[] {
    // FTS5 goes straight to a row only if it is an integer, and a store binds every number as a real one.
    return numbersOf(
      this.#store,
      `SELECT json_group_array(id) AS rows FROM (
         SELECT rowid AS id FROM ${index} WHERE ${index} MATCH ?1
           AND rowid > CAST(?2 AS INTEGER) AND rowid <= CAST(?3 AS INTEGER) ORDER BY rowid DESC LIMIT ${unpeeked("?4")})`,
      expression,
      above,
      upTo,
      max,
    );
  }
}

/** Returns how many rows the next step spans: as many as probably have what is wanted. */
function spanOf({ above, entries, rows }: Progress, upTo: number, max: number): number {
  const wanted = rows.length === 0 ? entries * GROWTH : (entries * 1.2 * (max - rows.length)) / rows.length;
  return Math.min(Math.ceil(((wanted + MORE_ENTRIES) * (upTo - above)) / Math.max(entries, 1)), ROWS_A_STEP);
}
