import type { Store } from "#documents/store.ts";
import { LARGE_TABLES, transferState } from "./state.sql.ts";

/** Rows of one step. */
const ROWS_A_STEP = 1000;

const INDEXES = ["places", "levels"] as const;

const SMALL = [
  "cells",
  "common_words",
  "vocabulary",
  "unlearnt",
  "stems",
  "languages",
  "kinds",
  "filter_terms",
  "principals",
  "intersection_groups",
  "classes",
  "class_principals",
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

/** Every table that documents are in, for a test that none was forgotten. */
export const ERASED_TABLES: readonly string[] = [...LARGE_TABLES, ...INDEXES, ...SMALL];

/**
 * Removes some of an engine that is `left`, or that takes and has to begin from nothing, inside the caller's transaction. Where it
 * has begun, what is there is the copy, and whoever asks has fallen behind.
 *
 * @returns whether all is gone
 * @throws where it is neither, or a later turn has begun
 */
export function erase(store: Store, turn: number): boolean {
  const { holding, turn: latest, pages } = transferState(store);
  if (turn < latest || (holding !== "left" && holding !== "taking")) {
    throw new Error(`documents_order_refused: erase in turn ${turn}: the engine is ${holding} in turn ${latest}`);
  }
  if (holding === "taking" && pages > 0) return true;
  for (const table of LARGE_TABLES) {
    store.exec(`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} LIMIT ${ROWS_A_STEP})`);
    if (store.exec(`SELECT 1 FROM ${table} LIMIT 1`).length > 0) return false;
  }
  for (const table of INDEXES) store.exec(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
  for (const table of SMALL) store.exec(`DELETE FROM ${table}`);
  store.exec("DELETE FROM state WHERE name <> 'schema'");
  return true;
}
