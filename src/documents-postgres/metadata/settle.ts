import { describeDocument } from "#documents-postgres/write/documents.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";
import { descriptionOf } from "./values.ts";

/** The most documents whose index entries are rewritten in one step. */
const DOCUMENTS_A_STEP = 50;

/**
 * Brings the values of some documents in line with their groups' current schemas, and removes those of keys and groups that no
 * longer exist.
 *
 * @returns whether all are in line
 */
export async function settleNext(writing: Writing): Promise<boolean> {
  const stale = await writing.rows.all<{ id: number; groupId: number }>(
    `SELECT m.document_id AS id, m.group_id AS "groupId"
     FROM (SELECT DISTINCT group_id FROM document_metadata WHERE instance_id = $1) d
     LEFT JOIN metadata_groups g ON g.instance_id = $1 AND g.id = d.group_id
     JOIN document_metadata m ON m.instance_id = $1 AND m.group_id = d.group_id
       AND m.version < coalesce(g.followed_from, 2147483647)
     LIMIT ${DOCUMENTS_A_STEP}`,
  );
  for (const { id, groupId } of stale) await settle(writing, id, groupId);
  return stale.length === 0;
}

async function settle(writing: Writing, id: number, groupId: number): Promise<void> {
  const { rows } = writing;
  const [left] = await rows.all<{ isEmpty: boolean }>(
    `UPDATE document_metadata m SET
       entries = coalesce((SELECT json_object_agg(e.key, e.value) FROM json_each(m.entries) e JOIN metadata_keys k
         ON k.instance_id = $1 AND k.id = e.key::int), '{}'::json),
       version = coalesce((SELECT version FROM metadata_groups WHERE instance_id = $1 AND id = m.group_id), 0)
     WHERE m.instance_id = $1 AND m.document_id = $2 AND m.group_id = $3 RETURNING m.entries::text = '{}' AS "isEmpty"`,
    id,
    groupId,
  );
  if (left?.isEmpty === true) {
    const statement = "DELETE FROM document_metadata WHERE instance_id = $1 AND document_id = $2 AND group_id = $3";
    await rows.all(statement, id, groupId);
  }
  await describeDocument(writing, id, await descriptionOf(rows, id));
}
