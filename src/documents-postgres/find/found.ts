import { numberList, type Rows, type SentValue } from "#documents-postgres/database.ts";
import type { Admission } from "./admission.ts";
import { Parameters } from "./parameters.ts";
import { CLASSES_LISTED_MAX, type Scope } from "./scope.ts";

/** A document that the index found. */
export interface Candidate {
  readonly id: number;
  /** In words. */
  readonly length: number;
  /** Of its last update; 0: none is known. */
  readonly day: number;
}

interface Found {
  readonly ids: number[] | null;
  readonly lengths: number[];
  readonly days: number[];
}

/** Selects what a statement finds, which has id, length and day. All come in one row: a row for each costs the driver more than weighing it. */
function inOneRow(statement: string): string {
  return `SELECT json_agg(n.id) AS ids, json_agg(n.length) AS lengths, json_agg(n.day) AS days FROM (${statement}) n`;
}

function candidatesOf([row]: readonly Found[]): readonly Candidate[] {
  const { ids, lengths, days } = row ?? { ids: null, lengths: [], days: [] };
  return (ids ?? []).map((id, at) => ({ id, length: lengths[at] ?? 0, day: days[at] ?? 0 }));
}

/** @param statement selects id, length and day */
export async function candidatesIn(
  rows: Rows,
  statement: string,
  values: readonly SentValue[],
): Promise<readonly Candidate[]> {
  return candidatesOf(await rows.all<Found>(inOneRow(statement), ...values));
}

/** With more tokens than this, reading documents is faster than reading lists. */
const TOKENS_MAX = 100;

/** For each document that counts, so many entries of lists are read before reading all of these documents is faster. */
const ENTRIES_A_DOCUMENT = 6;

/**
 * Every document that counts and has one of the tokens, the newest first.
 *
 * @param entries how many documents have one, seen or not
 */
export async function documentsWithAny(
  rows: Rows,
  scope: Scope,
  tokens: readonly number[],
  entries: number,
  { count, isNarrow }: Admission,
): Promise<readonly Candidate[]> {
  const parameters = new Parameters();
  // Where few documents count all of them may be read: weighing drops those without any of the words.
  const isEvery = isNarrow && (tokens.length > TOKENS_MAX || (!scope.isListed && entries > count * ENTRIES_A_DOCUMENT));
  if (isEvery && !scope.isFiltered && scope.held.classes.length <= CLASSES_LISTED_MAX) {
    const classes = parameters.add(numberList(scope.held.classes), "int[]");
    const condition = scope.conditionInLists(parameters, false);
    const found = `SELECT e.id, e.length, e.day FROM unnest(${classes}) AS c (id) JOIN entries e ON e.class = c.id AND ${condition}`;
    return candidatesOf(
      await rows.byKey<Found>(inOneRow(`SELECT * FROM (${found}) f ORDER BY id DESC`), ...parameters.values),
    );
  }
  const condition = isEvery
    ? scope.condition(parameters)
    : `e.tokens && ${parameters.add(numberList(tokens), "int[]")} AND ${scope.conditionInLists(parameters)}`;
  return candidatesIn(
    rows,
    `SELECT * FROM (SELECT e.id, e.length, e.day FROM entries e WHERE ${condition} OFFSET 0) f ORDER BY id DESC`,
    parameters.values,
  );
}
