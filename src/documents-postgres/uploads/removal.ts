import type { Target } from "#documents/uploads/uploads.sql.ts";
import { removeCounted } from "#documents-postgres/apply.ts";
import { count } from "#documents-postgres/counts.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { removeGroup, removeUser } from "#documents-postgres/rights/removal.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";
import { countUpload, moveUpload, type StoredUpload, uploadOf } from "./stored.ts";

/**
 * The most documents, users or groups that one step removes. A step takes at most a thousand statements, nine for each user. Each
 * statement is a round trip, and a few thousand fit into a call.
 */
const DOCUMENTS_A_STEP = 80;
/**
 * The most bytes of documents' word lists that one step removes, five for each word. A document of 10,000 different words takes a sixth
 * of a second to remove.
 */
const BYTES_A_STEP = 400_000;
const USERS_A_STEP = 100;
const GROUPS_A_STEP = 250;
/** The most memberships of all users together that one step removes; the clean-up removes the rest. */
const MEMBERSHIPS_A_STEP = 1000;

/** The most memberships of each group that one step removes; the clean-up removes the rest. */
const MEMBERSHIPS_A_GROUP = 4;

/** Removes some of what a complete upload did not contain. When nothing is left to remove, the upload is done. */
export async function removeNext(writing: Writing, target: Target, now: number): Promise<void> {
  const upload = await uploadOf(writing.rows, target);
  if (upload?.stage !== "removing") return;
  const { removed, isDone } = await removeSome(writing, upload);
  await countUpload(writing.rows, upload.generation, 0, removed, now);
  if (isDone) await moveUpload(writing.rows, upload.generation, "done", now);
}

interface Step {
  readonly removed: number;
  readonly isDone: boolean;
}

async function removeSome(writing: Writing, upload: StoredUpload): Promise<Step> {
  switch (upload.kind) {
    case "documents":
      return removeDocuments(writing, upload);
    case "users":
      return removeUsers(writing, upload);
    case "groups":
      return removeGroups(writing, upload);
    case "memberships":
    default:
      return removeMemberships(writing, upload);
  }
}

async function removeDocuments(writing: Writing, { datasource, generation }: StoredUpload): Promise<Step> {
  const older = await writing.rows.all<{ id: number; bytes: number }>(
    `SELECT d.id, coalesce(octet_length(f.forward), 0) AS bytes FROM (
       SELECT id FROM documents WHERE instance_id = $1 AND datasource = $2 AND generation < $3
       ORDER BY generation LIMIT ${DOCUMENTS_A_STEP}) d LEFT JOIN forwards f ON f.instance_id = $1 AND f.id = d.id`,
    datasource,
    generation,
  );
  let removed = 0;
  let bytes = 0;
  for (const document of older) {
    bytes += document.bytes;
    if (removed > 0 && bytes > BYTES_A_STEP) break;
    await removeCounted(writing, datasource, document.id);
    removed += 1;
  }
  return { removed, isDone: removed === older.length && older.length < DOCUMENTS_A_STEP };
}

async function removeUsers(writing: Writing, { datasource, generation }: StoredUpload): Promise<Step> {
  const older = await olderNames(
    writing.rows,
    "SELECT user_id AS name FROM datasource_users WHERE instance_id = $1 AND datasource = $2 AND generation < $3",
    datasource,
    generation,
    USERS_A_STEP,
  );
  writing.forgetRights();
  let memberships = 0;
  let removed = 0;
  for (const name of older) {
    if (memberships >= MEMBERSHIPS_A_STEP) break;
    memberships += await removeUser(writing, datasource, name, MEMBERSHIPS_A_STEP - memberships);
    removed += 1;
  }
  return { removed, isDone: removed === older.length && older.length < USERS_A_STEP };
}

async function removeGroups(writing: Writing, { datasource, generation }: StoredUpload): Promise<Step> {
  const older = await olderNames(
    writing.rows,
    `SELECT name FROM datasource_groups WHERE instance_id = $1 AND datasource = $2 AND generation < $3
       AND state = 'described'`,
    datasource,
    generation,
    GROUPS_A_STEP,
  );
  writing.forgetRights();
  for (const name of older) await removeGroup(writing, datasource, name, MEMBERSHIPS_A_GROUP);
  return { removed: older.length, isDone: older.length < GROUPS_A_STEP };
}

async function olderNames(
  rows: Rows,
  statement: string,
  datasource: string,
  generation: number,
  max: number,
): Promise<readonly string[]> {
  const found = await rows.all<{ name: string }>(`${statement} LIMIT ${max}`, datasource, generation);
  return found.map(({ name }) => name);
}

async function removeMemberships(writing: Writing, { datasource, groupName, generation }: StoredUpload): Promise<Step> {
  writing.forgetRights();
  const gone = await writing.rows.all(
    `DELETE FROM memberships WHERE instance_id = $1 AND (member_kind, member, datasource, group_name) IN (
       SELECT member_kind, member, datasource, group_name FROM memberships
       WHERE instance_id = $1 AND datasource = $2 AND group_name = $3 AND generation < $4 LIMIT ${MEMBERSHIPS_A_STEP})
     RETURNING 1`,
    datasource,
    groupName,
    generation,
  );
  await count(writing.rows, datasource, "memberships", -gone.length);
  return { removed: gone.length, isDone: gone.length < MEMBERSHIPS_A_STEP };
}
