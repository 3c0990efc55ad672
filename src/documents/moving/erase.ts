import type { Store } from "#documents/store.ts";
import { mayErase } from "./holding.ts";
import { LARGE_TABLES, transferState } from "./state.sql.ts";

/** Rows of a large table that one step removes. */
const ROWS_A_STEP = 1000;

const INDEXES = ["postings", "impacts"] as const;

const SMALL = [
  "doc_values",
  "common_words",
  "vocabulary",
  "unlearnt",
  "stems",
  "languages",
  "kinds",
  "filter_terms",
  "principals",
  "intersection_groups",
  "access_classes",
  "access_class_principals",
  "datasource_users",
  "datasource_groups",
  "memberships",
  "leaving_users",
  "datasources",
  "bulk_uploads",
  "upload_pages",
  "single_changes",
  "metadata_groups",
  "metadata_keys",
  "document_metadata",
] as const;

/** Every table with data of documents, for a test that none was forgotten. */
export const ERASED_TABLES: readonly string[] = [...LARGE_TABLES, ...INDEXES, ...SMALL];

/**
 * Removes some of the documents, if {@link mayErase} allows it, inside the caller's transaction.
 *
 * @returns whether everything is gone
 */
export function erase(store: Store, turn: number): boolean {
  if (!mayErase(transferState(store), turn)) return true;
  for (const table of LARGE_TABLES) {
    store.exec(`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} LIMIT ${ROWS_A_STEP})`);
    if (store.exec(`SELECT 1 FROM ${table} LIMIT 1`).length > 0) return false;
  }
  for (const table of INDEXES) store.exec(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
  for (const table of SMALL) store.exec(`DELETE FROM ${table}`);
  store.exec(
    "DELETE FROM state WHERE name NOT IN ('schema', 'oldest reader', 'served by', 'word key 0', 'word key 1')",
  );
  return true;
}
