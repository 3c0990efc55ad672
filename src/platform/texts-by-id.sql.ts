import { allRows } from "./d1.ts";

/**
 * Returns one text, such as a name, of each of several rows of an instance, by the row's id.
 *
 * The plus keeps SQLite from reading all rows of the instance to find these.
 */
export async function textsById(
  database: D1Database,
  { table, column }: { readonly table: string; readonly column: string },
  instanceId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await allRows<{ id: string; text: string }>(
    database
      .prepare(
        `SELECT id, ${column} AS text FROM ${table} WHERE id IN (SELECT value FROM json_each(?2)) AND +instance_id = ?1`,
      )
      .bind(instanceId, JSON.stringify(ids)),
  );
  return new Map(rows.map(({ id, text }) => [id, text]));
}
