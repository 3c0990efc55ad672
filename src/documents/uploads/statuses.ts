import { equal } from "#documents/row-statements.sql.ts";
import type { Store } from "#documents/store.ts";
import { staleNames } from "./stale.ts";
import type { HeldUpload, SelectedUploads, UploadStatus } from "./uploads.ts";
import { COLUMNS, removalOf, type StoredUpload } from "./uploads.sql.ts";

/** The most uploads that are listed at once. There may be very many of groups' members. */
const LISTED_MAX = 100;
const HELD_LISTED_MAX = 20;

interface StatusRow extends StoredUpload {
  readonly changedAt: number;
  readonly completedAt: number | null;
  readonly errors: string;
}

const STATUS = `SELECT ${COLUMNS}, changed_at AS changedAt, completed_at AS completedAt, errors
  FROM bulk_uploads`;

/** Returns the latest uploads of a datasource, newest first. The first that are held have examples. */
export function statusesOf(store: Store, datasource: string, only: SelectedUploads = {}): UploadStatus[] {
  const { kind, groupName, uploadId } = only;
  const selected = Object.entries({ datasource, kind, group_name: groupName, upload_id: uploadId }).filter(
    (one): one is [string, string] => one[1] !== undefined,
  );
  const rows = store.exec<StatusRow>(
    `${STATUS} WHERE ${equal(selected.map(([column]) => column))}
     ORDER BY changed_at DESC, kind, group_name LIMIT ${LISTED_MAX}`,
    ...selected.map(([, value]) => value),
  );
  const shown = new Set(rows.filter(({ stage }) => stage === "held").slice(0, HELD_LISTED_MAX));
  return rows.map((row) => toStatus(row, shown.has(row) ? staleNames(store, row) : []));
}

/**
 * Returns uploads whose removal is held, those first that will be removed first. Those of groups' members come last, because one mistake
 * may hold very many.
 */
export function heldUploads(store: Store): HeldUpload[] {
  const rows = store.exec<StatusRow>(
    `${STATUS} WHERE generation IN (SELECT generation FROM bulk_uploads WHERE stage = 'held'
       ORDER BY kind = 'memberships', held_until LIMIT ${HELD_LISTED_MAX})
     ORDER BY kind = 'memberships', held_until`,
  );
  return rows.map((row) => ({ ...toStatus(row, staleNames(store, row)), datasource: row.datasource }));
}

function toStatus(row: StatusRow, examples: readonly string[]): UploadStatus {
  const { stage: status, kind, groupName, uploadId, received, removed, pages } = row;
  const { startedAt, changedAt, completedAt } = row;
  return {
    kind,
    groupName,
    uploadId,
    status,
    received,
    removed,
    pages,
    startedAt,
    changedAt,
    completedAt,
    ...removalOf(status, row),
    examples,
    errors: JSON.parse(row.errors) as UploadStatus["errors"],
  };
}
