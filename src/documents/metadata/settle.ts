import type { Store } from "#documents/store.ts";
import { describeDocument } from "#documents/write/documents.ts";
import { type WriteStep, writeInStep } from "#documents/write/write-step.ts";
import { description } from "./description.ts";

/** How many documents are indexed again in one step. */
const DOCUMENTS_A_STEP = 50;

/**
 * Brings the values of some documents in line with the current schemas of their groups, and removes those of removed keys and groups,
 * inside the caller's transaction.
 *
 * @returns whether all are in line
 */
export function settleNext(store: Store): boolean {
  for (let groupId = nextGroup(store, 0); groupId !== undefined; groupId = nextGroup(store, groupId)) {
    const stale = staleOf(store, groupId);
    writeInStep(store, (step) => {
      for (const id of stale) settle(store, id, groupId, step);
    });
    if (stale.length > 0) return false;
  }
  return true;
}

function settle(store: Store, documentId: number, groupId: number, step: WriteStep): void {
  const about = [documentId, groupId] as const;
  store.exec(
    `UPDATE document_metadata SET
       entries = (SELECT json_group_object(e.key, json(e.value)) FROM json_each(entries) e
         WHERE EXISTS (SELECT 1 FROM metadata_keys k WHERE k.id = CAST(e.key AS INTEGER))),
       version = COALESCE((SELECT version FROM metadata_groups WHERE id = group_id), 0)
     WHERE document_id = ?1 AND group_id = ?2`,
    ...about,
  );
  store.exec("DELETE FROM document_metadata WHERE document_id = ?1 AND group_id = ?2 AND entries = '{}'", ...about);
  describeDocument(store, documentId, description(store, documentId), step);
}

function staleOf(store: Store, groupId: number): number[] {
  const rows = store.exec<{ document_id: number }>(
    `SELECT document_id FROM document_metadata WHERE group_id = ?1 AND version < COALESCE(
       (SELECT followed_from FROM metadata_groups WHERE id = ?1), 9223372036854775807)
     LIMIT ${DOCUMENTS_A_STEP}`,
    groupId,
  );
  return rows.map((row) => row.document_id);
}

/** Returns the next group that documents have values of, along the index. */
function nextGroup(store: Store, after: number): number | undefined {
  const statement = "SELECT min(group_id) AS id FROM document_metadata WHERE group_id > ?1";
  return store.exec<{ id: number | null }>(statement, after)[0]?.id ?? undefined;
}
