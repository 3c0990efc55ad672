import { numberList, numbersIn, type Rows, type SentValue } from "#documents-postgres/database.ts";
import type { Held } from "#documents-postgres/rights/held.ts";
import type { Admission } from "./admission.ts";
import { Parameters } from "./parameters.ts";
import { CLASSES_LISTED_MAX, holdsClass, type Scope } from "./scope.ts";

/** A document that the index found. */
export interface Candidate {
  readonly id: number;
  /** Length in words. */
  readonly length: number;
  /** Day of its last update; 0 if unknown. */
  readonly day: number;
}

export interface Found {
  readonly ids: string | null;
  readonly lengths: string;
  readonly days: string;
}

/** Selects documents `n` in one row: a row for each costs the driver more than scoring it. */
export const SELECTED_COLUMNS = "array_agg(n.id) AS ids, array_agg(n.length) AS lengths, array_agg(n.day) AS days";

export function candidatesOf([row]: readonly Found[]): readonly Candidate[] {
  if (!row || row.ids === null) return [];
  const lengths = numbersIn(row.lengths);
  const days = numbersIn(row.days);
  return numbersIn(row.ids).map((id, at) => ({ id, length: lengths[at] ?? 0, day: days[at] ?? 0 }));
}

/**
 * @param statement selects id, length and day; for `held` also the class, and then it doesn't have to check what the person may see
 * @param isByKey whether its plan would be the same for other values
 */
export async function candidatesIn(
  rows: Rows,
  statement: string,
  values: readonly SentValue[],
  { isByKey = false, held }: { readonly isByKey?: boolean; readonly held?: Held } = {},
): Promise<readonly Candidate[]> {
  const classes = held ? ", array_agg(n.class) AS classes" : "";
  const found = await rows[isByKey ? "byKey" : "all"]<Found & { readonly classes?: string | null }>(
    `SELECT ${SELECTED_COLUMNS}${classes} FROM (${statement}) n`,
    ...values,
  );
  if (!held) return candidatesOf(found);
  const classOf = numbersIn(found[0]?.classes ?? "{}");
  return candidatesOf(found).filter((_, at) => holdsClass(held, classOf[at] ?? 0));
}

/** With more tokens than this, reading documents is faster than reading lists. */
const TOKENS_MAX = 100;

/** With more list entries than this for each document in scope, reading all of these documents is faster. */
const ENTRIES_A_DOCUMENT = 6;

/** A statement that selects documents, and whether its plan would be the same for other values. */
export interface Selection {
  readonly statement: string;
  readonly isByKey: boolean;
}

/**
 * Selects id, length and day of every document in scope that has one of the tokens.
 *
 * @param sought tokens, with how many documents have each, visible or not
 */
export function documentsWithAny(
  scope: Scope,
  sought: ReadonlyMap<number, number>,
  { count, isNarrow }: Admission,
  parameters: Parameters,
): Selection {
  const entries = [...sought.values()].reduce((sum, one) => sum + one, 0);
  // If few documents are in scope, all of them may be read: scoring drops those without any of the words.
  const isEvery = isNarrow && (sought.size > TOKENS_MAX || (!scope.isListed && entries > count * ENTRIES_A_DOCUMENT));
  if (isEvery && !scope.isFiltered && scope.held.classes.length <= CLASSES_LISTED_MAX) {
    const statement = `SELECT e.id, e.length, e.day FROM entries e WHERE ${scope.condition(parameters)}`;
    return { statement, isByKey: true };
  }
  const condition = isEvery
    ? scope.condition(parameters)
    : `e.tokens && ${parameters.add(numberList(sought.keys()), "int[]")} AND ${scope.conditionInLists(parameters)}`;
  return { statement: `SELECT e.id, e.length, e.day FROM entries e WHERE ${condition} OFFSET 0`, isByKey: false };
}
