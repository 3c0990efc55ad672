import type { Upload } from "#documents/uploads/page-order.ts";
import { ERRORS_MAX, LISTED_MAX, type Target } from "#documents/uploads/uploads.sql.ts";
import type { UploadStatus, UploadTarget } from "#documents/uploads/uploads.ts";
import type { Rows } from "#documents-postgres/database.ts";

/** An upload with its target. */
export type StoredUpload = Omit<Upload, "position"> & Target;

const PAGES = `(SELECT count(*) FROM upload_pages p WHERE p.instance_id = $1 AND p.generation = u.generation) AS pages`;

const COLUMNS = `u.datasource, u.kind, u.group_name AS "groupName", u.upload_id AS "uploadId", u.stage, u.generation,
  u.first_page AS "firstPage", u.received, u.removed, ${PAGES}`;

const OF_TARGET = "instance_id = $1 AND datasource = $2 AND kind = $3 AND group_name = $4";

export async function uploadOf(rows: Rows, target: Target): Promise<StoredUpload | undefined> {
  const { datasource, kind, groupName } = target;
  const statement = `SELECT ${COLUMNS} FROM bulk_uploads u WHERE ${OF_TARGET}`;
  return (await rows.all<StoredUpload>(statement, datasource, kind, groupName))[0];
}

/** Starts an upload, which replaces the target's latest. */
export async function startUpload(
  rows: Rows,
  { datasource, kind, groupName, uploadId }: UploadTarget,
  page: string,
  generation: number,
  now: number,
): Promise<void> {
  await rows.all(
    `DELETE FROM upload_pages WHERE instance_id = $1
       AND generation = (SELECT generation FROM bulk_uploads WHERE ${OF_TARGET})`,
    datasource,
    kind,
    groupName,
  );
  await rows.all(
    `INSERT INTO bulk_uploads (instance_id, datasource, kind, group_name, upload_id, stage, generation, first_page, started_at, changed_at)
     VALUES ($1, $2, $3, $4, $5, 'receiving', $6, $7, $8, $8)
     ON CONFLICT (instance_id, datasource, kind, group_name) DO UPDATE SET upload_id = excluded.upload_id, stage = excluded.stage,
       generation = excluded.generation, first_page = excluded.first_page, received = 0, removed = 0, single_changes = 0,
       errors = '[]', started_at = excluded.started_at, changed_at = excluded.changed_at, completed_at = NULL`,
    datasource,
    kind,
    groupName,
    uploadId,
    generation,
    page,
    now,
  );
}

export async function isPageKnown(rows: Rows, generation: number, hash: string): Promise<boolean> {
  const statement = "SELECT 1 FROM upload_pages WHERE instance_id = $1 AND generation = $2 AND hash = $3";
  return (await rows.all(statement, generation, hash)).length > 0;
}

/** Records that a page was stored completely. */
export async function keepPage(rows: Rows, generation: number, hash: string): Promise<void> {
  await rows.all(
    "INSERT INTO upload_pages (instance_id, generation, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    generation,
    hash,
  );
}

/** Counts what was received or removed, and sets when the upload last changed. */
export async function countUpload(
  rows: Rows,
  generation: number,
  received: number,
  removed: number,
  now: number,
): Promise<void> {
  await rows.all(
    `UPDATE bulk_uploads SET received = received + $3, removed = removed + $4, changed_at = $5
     WHERE instance_id = $1 AND generation = $2`,
    generation,
    received,
    removed,
    now,
  );
}

/** Moves an upload to its next stage. */
export async function moveUpload(rows: Rows, generation: number, stage: Upload["stage"], now: number): Promise<void> {
  await rows.all(
    `UPDATE bulk_uploads SET stage = $3::text, changed_at = $4::bigint,
       completed_at = CASE WHEN $3::text = 'done' THEN $4::bigint ELSE completed_at END
     WHERE instance_id = $1 AND generation = $2`,
    generation,
    stage,
    now,
  );
}

/** Records a refusal of a page, if the upload that the page names is the target's latest. */
export async function noteError(rows: Rows, target: UploadTarget, message: string, now: number): Promise<void> {
  const { datasource, kind, groupName, uploadId } = target;
  const statement = `SELECT errors FROM bulk_uploads WHERE ${OF_TARGET} AND upload_id = $5`;
  const [row] = await rows.all<{ errors: string }>(statement, datasource, kind, groupName, uploadId);
  if (!row) return;
  const errors = [{ at: now, message }, ...(JSON.parse(row.errors) as UploadStatus["errors"])].slice(0, ERRORS_MAX);
  const update = `UPDATE bulk_uploads SET errors = $5 WHERE ${OF_TARGET}`;
  await rows.all(update, datasource, kind, groupName, JSON.stringify(errors));
}

/** Returns the latest uploads of a datasource, most recently changed first. */
export async function statusesOf(rows: Rows, datasource: string): Promise<UploadStatus[]> {
  const found = await rows.all<Omit<UploadStatus, "errors"> & { errors: string }>(
    `SELECT u.kind, u.group_name AS "groupName", u.upload_id AS "uploadId", u.stage AS status, u.received, u.removed, ${PAGES},
       u.started_at AS "startedAt", u.changed_at AS "changedAt", u.completed_at AS "completedAt", u.errors
     FROM bulk_uploads u WHERE u.instance_id = $1 AND u.datasource = $2
     ORDER BY u.changed_at DESC, u.kind, u.group_name LIMIT ${LISTED_MAX}`,
    datasource,
  );
  return found.map((row) => ({ ...row, errors: JSON.parse(row.errors) as UploadStatus["errors"] }));
}

/** Returns an upload whose last page came and whose removal is not done. */
export async function unfinishedUpload(rows: Rows): Promise<StoredUpload | undefined> {
  const statement = `SELECT ${COLUMNS} FROM bulk_uploads u WHERE u.instance_id = $1 AND u.stage = 'removing' LIMIT 1`;
  return (await rows.all<StoredUpload>(statement))[0];
}
