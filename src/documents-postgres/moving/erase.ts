import type { Rows } from "#documents-postgres/database.ts";
import { lockedInstance } from "#documents-postgres/instance.ts";
import { mayErase } from "#documents/moving/holding.ts";
import { LARGE_TABLES, storedState } from "./state.ts";

/** The most rows of a table that one step deletes. */
const ROWS_A_STEP = 5000;

const SMALL = [
  "kinds",
  "principals",
  "intersection_groups",
  "classes",
  "datasource_users",
  "datasource_groups",
  "leaving_users",
  "datasources",
  "bulk_uploads",
  "upload_pages",
  "single_changes",
  "metadata_groups",
  "metadata_keys",
  "removed_metadata_groups",
] as const;

/** All tables with an instance's documents, exported for a test that none was forgotten. */
export const ERASED_TABLES: readonly string[] = [...Object.keys(LARGE_TABLES), ...SMALL];

/**
 * Deletes some of an instance's documents, if {@link mayErase} allows it.
 *
 * @returns whether nothing is left to delete
 */
export async function erase(rows: Rows, turn: number): Promise<boolean> {
  await lockedInstance(rows);
  if (!mayErase(await storedState(rows), turn)) return true;
  for (const [table, key] of Object.entries(LARGE_TABLES)) {
    const removed = await rows.all(
      `DELETE FROM ${table} WHERE instance_id = $1 AND (${key}) IN (
         SELECT ${key} FROM ${table} WHERE instance_id = $1 LIMIT ${ROWS_A_STEP}) RETURNING 1`,
    );
    if (removed.length === ROWS_A_STEP) return false;
  }
  for (const table of SMALL) await rows.all(`DELETE FROM ${table} WHERE instance_id = $1`);
  // Ids are never reused, and versions only increase, so isolates notice that what they remember of the old rows is outdated.
  await rows.all(
    `UPDATE instances SET generation = 0, documents = 0, length = 0, rights = rights + 1, version = version + 1,
       import_backup = NULL, import_lines = 0, importing_at = 0 WHERE instance_id = $1`,
  );
  return true;
}
