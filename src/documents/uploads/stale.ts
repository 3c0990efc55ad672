import { countOf } from "#documents/counts.ts";
import type { Store } from "#documents/store.ts";
import { stretchSql } from "./removal.ts";
import type { Removal } from "./uploads.ts";
import { moveUpload, type StoredUpload, type Target, uploadOf } from "./uploads.sql.ts";

/** A complete upload that would remove more than this, both as a number and as a share, is held. */
const STALE_MAX = 20;
const STALE_SHARE_MAX = 0.2;

/** How long somebody has to decide. Then it is removed, because what a source no longer has must not stay for good. */
const HELD_SECONDS = 7 * 24 * 3600;

/** Names that are shown of what is held. */
export const EXAMPLES = 5;

/** Checks whether an upload would remove so much that it may be a mistake. */
export function isMassRemoval({ stale, total }: Pick<Removal, "stale" | "total">): boolean {
  return stale > STALE_MAX && stale > total * STALE_SHARE_MAX;
}

/** Ends the receipt of an upload, inside the caller's transaction. What it didn't contain is held until {@link decide}. */
export function completeUpload(store: Store, target: Target, now: number): void {
  const upload = uploadOf(store, target);
  if (!upload) return;
  const { stale, total } = staleOf(store, upload);
  store.exec(
    `UPDATE bulk_uploads SET stage = 'held', stale = ?2, total = ?3, changed_at = ?4, position = '',
       held_until = iif(held_until IS NOT NULL AND stale >= ?2, held_until, ?4 + ${HELD_SECONDS})
     WHERE generation = ?1`,
    upload.generation,
    stale,
    total,
    now,
  );
}

/**
 * Removes what is held from now on, or gives the upload up, inside the caller's transaction.
 *
 * @returns whether it was held
 */
export function decide(store: Store, target: Target & { uploadId: string }, removes: boolean, now: number): boolean {
  const upload = uploadOf(store, target);
  if (upload?.stage !== "held" || upload.uploadId !== target.uploadId) return false;
  moveUpload(store, upload.generation, removes ? "removing" : "given up", now);
  return true;
}

/** Removes from now on what nobody decided about in time. @returns whether there was any */
export function releaseHeld(store: Store, now: number): boolean {
  const statement = "SELECT generation FROM bulk_uploads WHERE stage = 'held' AND held_until <= ?1";
  const [due] = store.exec<{ generation: number }>(`${statement} ORDER BY held_until LIMIT 1`, now);
  if (due) moveUpload(store, due.generation, "removing", now);
  return due !== undefined;
}

/** Returns some names of what an upload didn't contain. */
export function staleNames(store: Store, upload: StoredUpload): string[] {
  const { kind, datasource, generation } = upload;
  const [names, ...bound] =
    kind === "documents"
      ? (["SELECT external_id AS name, generation FROM documents WHERE datasource = ?1", datasource] as const)
      : stretchSql({ ...upload, position: "" });
  const order = kind === "documents" ? "ORDER BY generation" : "";
  const statement = `SELECT name FROM (${names}) WHERE generation < ?${bound.length + 1} ${order} LIMIT ${EXAMPLES}`;
  return store.exec<{ name: string }>(statement, ...bound, generation).map(({ name }) => name);
}

/** Counts what an upload didn't contain. For names, single changes since it began make this inexact. */
function staleOf(store: Store, upload: StoredUpload): Pick<Removal, "stale" | "total"> {
  const { kind, datasource, groupName, generation, received } = upload;
  if (kind === "documents") {
    const statement = "SELECT count(*) AS count FROM documents WHERE datasource = ?1 AND generation < ?2";
    const [row] = store.exec<{ count: number }>(statement, datasource, generation);
    return { stale: row?.count ?? 0, total: countOf(store, datasource, kind) };
  }
  const total = kind === "users" ? countOf(store, datasource, kind) : countNames(store, kind, datasource, groupName);
  return { stale: Math.max(total - received, 0), total };
}

/** Counts the groups of a datasource that aren't deleted, or the members of one of them. */
function countNames(store: Store, kind: "groups" | "memberships", datasource: string, groupName: string): number {
  const [row] =
    kind === "groups"
      ? store.exec<{ count: number }>(
          "SELECT count(*) AS count FROM datasource_groups WHERE datasource = ?1 AND is_deleted = 0",
          datasource,
        )
      : store.exec<{ count: number }>(
          `SELECT count(*) AS count FROM memberships INDEXED BY memberships_by_group
           WHERE datasource = ?1 AND group_name = ?2`,
          datasource,
          groupName,
        );
  return row?.count ?? 0;
}
