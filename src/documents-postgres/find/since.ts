import { numberList, type Rows } from "#documents-postgres/database.ts";
import { type Candidate, candidatesOf, type Found, SELECTED_COLUMNS } from "./found.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";

/**
 * Returns the documents in scope that were written in some epochs and meet a condition.
 *
 * @param conditionOf returns the condition for entries `e`
 * @returns `null` if more than `max` documents were written, including those that the person may not see; then none are looked for
 */
export async function writtenSince(
  rows: Rows,
  scope: Scope,
  epochs: readonly number[],
  max: number,
  conditionOf: (parameters: Parameters) => string,
): Promise<readonly Candidate[] | null> {
  const parameters = new Parameters();
  const written = `e.instance_id = $1 AND e.tokens && ${parameters.add(numberList(epochs), "int[]")}`;
  const few = parameters.add(max, "int");
  const asked = conditionOf(parameters);
  const condition = scope.conditionInLists(parameters);
  const [row] = await rows.all<Found & { readonly isFew: boolean }>(
    `WITH few AS MATERIALIZED (SELECT count(*) <= ${few} AS is_few FROM (SELECT 1 FROM entries e WHERE ${written} LIMIT ${few} + 1) s)
     SELECT (SELECT f.is_few FROM few f) AS "isFew", ${SELECTED_COLUMNS}
     FROM (SELECT e.id, e.length, e.day FROM entries e
       WHERE ${written} AND (SELECT f.is_few FROM few f) AND ${asked} AND ${condition} OFFSET 0) n`,
    ...parameters.values,
  );
  return row?.isFew === true ? candidatesOf([row]) : null;
}
