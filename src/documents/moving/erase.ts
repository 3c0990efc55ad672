import type { Store } from "#documents/store.ts";
import { mayErase } from "./holding.ts";
import { LARGE_TABLES, transferState } from "./state.sql.ts";

/** Rows of a large table that one step removes. */
const ROWS_A_STEP = 1000;

const INDEXES = ["postings", "impacts"] as const;

/** What an emptied object still knows, in addition to its part in moves. */
const KEPT = "'schema', 'oldest reader', 'served by', 'word key 0', 'word key 1'";

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
  for (const table of otherTables(store)) store.exec(`DELETE FROM ${table}`);
  store.exec(`DELETE FROM state WHERE name NOT IN (${KEPT})`);
  return true;
}

/** Returns all other tables with data of documents: none can be forgotten. SQLite's, the platform's and those of indexes aren't ours. */
function otherTables(store: Store): readonly string[] {
  const shadows = INDEXES.map((index) => `AND name NOT GLOB '${index}*'`).join(" ");
  return store
    .exec<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('state', 'transfer')
         AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' ${shadows}`,
    )
    .map(({ name }) => name);
}
