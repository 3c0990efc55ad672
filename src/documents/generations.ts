import { sourcesOf } from "./datasources.sql.ts";
import { setState, stateOf, type Store } from "./store.ts";

/**
 * Returns the generation of a new upload. Generations tell what is newer: an upload gets an even number, higher than any before
 * it, and single changes get the odd number above the latest upload's. So an upload's pages never override single changes made
 * since the upload began, but the next upload does.
 *
 * @param given the generation that the first shard chose for all
 */
export function uploadGeneration(store: Store, given = latestUpload(store) + 2): number {
  setState(store, "generation", Math.max(given, latestUpload(store)));
  return given;
}

/** Returns the generation of single changes made now. */
export function singleGeneration(store: Store): number {
  return latestUpload(store) + 1;
}

function latestUpload(store: Store): number {
  return stateOf(store, "generation");
}

/** The kinds of items that a datasource has and uploads contain. */
export type Kind = "documents" | "users" | "groups" | "memberships";

/** The kind of what a single change removed, or `permissions` if it replaced a document's permissions. */
export type Overruled = Kind | "permissions";

/**
 * The most single changes during one upload. A pipeline that makes more is changing everything one by one, so its upload is given
 * up.
 */
export const SINGLE_CHANGES_MAX = 100_000;

/** Single changes that one step forgets. */
const FORGOTTEN_A_STEP = 1000;

/**
 * Remembers a removal, or new permissions, while an upload of the datasource is in progress, so that no page of that upload
 * undoes the change: a page may have been written before the change was acknowledged.
 *
 * @param name a document's or user's id, a group's name, or a membership as named by `membershipName`
 */
export function noteSingleChange(store: Store, datasource: string, overruled: Overruled, name: string): void {
  store.exec(
    `INSERT INTO single_changes (datasource, overruled, name, generation)
     SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM bulk_uploads WHERE datasource = ?1 AND stage = 'receiving')
     ON CONFLICT (datasource, overruled, name) DO UPDATE SET generation = excluded.generation`,
    datasource,
    overruled,
    name,
    singleGeneration(store),
  );
  store.exec(
    `UPDATE bulk_uploads SET single_changes = single_changes + 1,
       stage = iif(single_changes < ${SINGLE_CHANGES_MAX}, stage, 'given up')
     WHERE datasource = ?1 AND stage = 'receiving'`,
    datasource,
  );
}

/** Checks whether a single change is newer than a page of this generation, which then must not change the item. */
export function isOverruled(
  store: Store,
  datasource: string,
  overruled: Overruled,
  name: string,
  generation: number,
): boolean {
  const statement =
    "SELECT 1 FROM single_changes WHERE datasource = ?1 AND overruled = ?2 AND name = ?3 AND generation > ?4";
  return store.exec(statement, datasource, overruled, name, generation).length > 0;
}

/** Forgets some single changes that no page can undo any more. @returns whether there may be more */
export function forgetSingleChanges(store: Store): boolean {
  const [over] = store.exec<{ datasource: string }>(
    `${sourcesOf("single_changes")}
     SELECT name AS datasource FROM source WHERE name IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM bulk_uploads WHERE datasource = name AND stage = 'receiving') LIMIT 1`,
  );
  if (!over) return false;
  store.exec(
    `DELETE FROM single_changes WHERE (datasource, overruled, name) IN (
       SELECT datasource, overruled, name FROM single_changes WHERE datasource = ?1 LIMIT ${FORGOTTEN_A_STEP})`,
    over.datasource,
  );
  return true;
}
