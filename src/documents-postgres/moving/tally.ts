import type { Rows } from "#documents-postgres/database.ts";
import { TALLIED_TABLES } from "#documents/moving/tally.ts";
import type { Tally } from "#documents/moving/transfer.ts";

/** Counts what a move copies, in the same way as the Durable Object. */
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
  for (const [name, table] of TALLIED_TABLES) {
    const [row] = await rows.all<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} WHERE instance_id = $1`,
    );
    found[name] = row?.count ?? 0;
  }
  return found;
}
