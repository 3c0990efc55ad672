import { rowsOf, runBatch } from "#platform/d1.ts";
import type { Directory, Part, PartAsked } from "./directory.ts";
import { type Filterable, filterSql } from "./filter.sql.ts";

interface Source {
  readonly columns: string;
  readonly from: string;
  /** The alias of the table of resources. */
  readonly alias: string;
  readonly order: string;
  readonly filterable: Filterable;
}

/**
 * Reads a part of a directory's users or groups, and the number of all, in one round trip.
 *
 * @throws {ScimError} `invalidFilter`
 */
export async function readPart<Row>(
  database: D1Database,
  { columns, from, alias, order, filterable }: Source,
  { instanceId, name }: Directory,
  { filter, startIndex, count }: PartAsked,
): Promise<Part<Row>> {
  const values: (string | number)[] = [instanceId, name];
  const bind = (value: string | number) => `?${values.push(value)}`;
  const condition = filter === null ? "TRUE" : filterSql(filter, filterable, bind);
  const where = `FROM ${from} WHERE ${alias}.instance_id = ?1 AND ${alias}.directory = ?2 AND ${condition}`;
  const counting = database.prepare(`SELECT count(*) AS total ${where}`).bind(...values);
  const reading = database
    .prepare(`SELECT ${columns} ${where} ORDER BY ${order} LIMIT ${bind(count)} OFFSET ${bind(startIndex - 1)}`)
    .bind(...values);
  const results = await runBatch(database, [counting, reading]);
  const [counted] = rowsOf<{ total: number }>(results, 0);
  return { items: rowsOf<Row>(results, 1), total: counted?.total ?? 0 };
}
