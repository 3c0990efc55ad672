import type { Rows } from "#documents-postgres/database.ts";
import { MOVED_TABLES, ROW_KINDS } from "#documents/moving/rows.sql.ts";
import type { Tally } from "#documents/moving/transfer.ts";

/** Counts what moves, under the names that the object's tally has. */
export async function tally(rows: Rows): Promise<Tally> {
  const found: Record<string, number> = {};
  const documents = await rows.all<{ datasource: string; count: number; generations: number }>(
    `SELECT datasource, count(*)::int AS count, sum(generation)::bigint AS generations FROM documents WHERE instance_id = $1
     GROUP BY datasource`,
  );
  for (const { datasource, count, generations } of documents) {
    found[`documents of ${datasource}`] = count;
    found[`generations of ${datasource}`] = generations;
  }
  const tables = [
    ...ROW_KINDS.filter((kind) => kind !== "mark").map((kind) => [kind, MOVED_TABLES[kind].table] as const),
    ["metadataGroup", "metadata_groups"],
    ["metadataKey", "metadata_keys"],
    ["values", "document_metadata"],
  ] as const;
  for (const [name, table] of tables) {
    const [row] = await rows.all<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} WHERE instance_id = $1`,
    );
    found[name] = row?.count ?? 0;
  }
  return found;
}
