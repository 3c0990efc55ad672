import type { Store } from "#documents/store.ts";
import type { Upload } from "./page-order.ts";
import type { Removal, UploadStatus, UploadTarget } from "./uploads.ts";

/** What an upload replaces, whatever name the pipeline gives to the upload. */
export type Target = Pick<UploadTarget, "kind" | "datasource" | "groupName">;

/** An upload with its target. */
export type StoredUpload = Upload & Target;

/** The columns of {@link StoredUpload}. */
export const COLUMNS = `datasource, kind, group_name AS groupName, upload_id AS uploadId, stage, generation, first_page AS firstPage,
  started_at AS startedAt, received, removed, position, stale, total, held_until AS heldUntil, (SELECT count(*) FROM upload_pages p WHERE p.generation = bulk_uploads.generation) AS pages`;

const OF_TARGET = "datasource = ?1 AND kind = ?2 AND group_name = ?3";

/** The most failures of pages that are kept: enough to see what goes wrong. */
const ERRORS_MAX = 20;

export function uploadOf(store: Store, { datasource, kind, groupName }: Target): StoredUpload | undefined {
  const statement = `SELECT ${COLUMNS} FROM bulk_uploads WHERE ${OF_TARGET}`;
  return store.exec<StoredUpload>(statement, datasource, kind, groupName)[0];
}

/** Begins an upload, which replaces the target's latest. What that one held is held no longer than before, if it isn't more. */
export function startUpload(store: Store, target: UploadTarget, page: string, generation: number, now: number): void {
  const { datasource, kind, groupName } = target;
  const { stale = 0, heldUntil = null } = uploadOf(store, target) ?? {};
  for (const statement of [
    `DELETE FROM upload_pages WHERE generation = (SELECT generation FROM bulk_uploads WHERE ${OF_TARGET})`,
    `DELETE FROM bulk_uploads WHERE ${OF_TARGET}`,
  ]) {
    store.exec(statement, datasource, kind, groupName);
  }
  store.exec(
    `INSERT INTO bulk_uploads
       (datasource, kind, group_name, upload_id, stage, generation, first_page, started_at, changed_at, stale, held_until)
     VALUES (?1, ?2, ?3, ?4, 'receiving', ?5, ?6, ?7, ?7, ?8, ?9)`,
    datasource,
    kind,
    groupName,
    target.uploadId,
    generation,
    page,
    now,
    stale,
    heldUntil,
  );
}

export function isPageKnown(store: Store, generation: number, hash: string): boolean {
  return store.exec("SELECT 1 FROM upload_pages WHERE generation = ?1 AND hash = ?2", generation, hash).length > 0;
}

/** Remembers that a page was taken completely. */
export function keepPage(store: Store, generation: number, hash: string): void {
  store.exec("INSERT OR IGNORE INTO upload_pages (generation, hash) VALUES (?1, ?2)", generation, hash);
}

/** Adds to what was received and removed, and notes the time. */
export function countUpload(store: Store, generation: number, received: number, removed: number, now: number): void {
  store.exec(
    "UPDATE bulk_uploads SET received = received + ?2, removed = removed + ?3, changed_at = ?4 WHERE generation = ?1",
    generation,
    received,
    removed,
    now,
  );
}

/** Moves an upload to the next stage. */
export function moveUpload(store: Store, generation: number, stage: Upload["stage"], now: number): void {
  store.exec(
    `UPDATE bulk_uploads SET stage = ?2, changed_at = ?3, completed_at = iif(?2 = 'done', ?3, completed_at), position = '',
       held_until = NULL WHERE generation = ?1`,
    generation,
    stage,
    now,
  );
}

/** Stores the place up to which the removal has looked. */
export function keepPosition(store: Store, generation: number, position: string): void {
  store.exec("UPDATE bulk_uploads SET position = ?2 WHERE generation = ?1", generation, position);
}

/** Remembers a refusal of a page, if the upload that it names is the target's latest. */
export function noteError(store: Store, target: UploadTarget, message: string, now: number): void {
  const { datasource, kind, groupName, uploadId } = target;
  const statement = `SELECT errors FROM bulk_uploads WHERE ${OF_TARGET} AND upload_id = ?4`;
  const [row] = store.exec<{ errors: string }>(statement, datasource, kind, groupName, uploadId);
  if (!row) return;
  const errors = [{ at: now, message }, ...(JSON.parse(row.errors) as UploadStatus["errors"])].slice(0, ERRORS_MAX);
  const update = `UPDATE bulk_uploads SET errors = ?4 WHERE ${OF_TARGET}`;
  store.exec(update, datasource, kind, groupName, JSON.stringify(errors));
}

/** Returns an upload whose last page came and whose removal isn't done. */
export function unfinishedUpload(store: Store): StoredUpload | undefined {
  return store.exec<StoredUpload>(`SELECT ${COLUMNS} FROM bulk_uploads WHERE stage = 'removing' LIMIT 1`)[0];
}

/** Returns what a complete upload removes. Before that, the row has what an earlier one held. */
export function removalOf(stage: Upload["stage"], removal: Removal): Removal {
  const { stale, total, heldUntil } = removal;
  return stage === "receiving" || stage === "given up"
    ? { stale: 0, total: 0, heldUntil: null }
    : { stale, total, heldUntil };
}
