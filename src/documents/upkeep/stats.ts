import type { Store } from "#documents/store.ts";
import type { DocumentStats } from "./keeping.ts";

/** What each datasource has, and when its documents were last uploaded. */
export function datasourceStats(store: Store): DocumentStats["datasources"] {
  return store.exec<DocumentStats["datasources"][number]>(
    `SELECT d.name, d.documents, d.users, d.groups, d.memberships, u.changed_at AS lastUploadAt
     FROM datasources d LEFT JOIN bulk_uploads u ON u.datasource = d.name AND u.kind = 'documents' AND u.group_name = ''
     ORDER BY d.name`,
  );
}

/** When a document was last indexed; `null`: there is no such document. */
export function indexedAt(store: Store, datasource: string, externalId: string): number | null {
  const statement = "SELECT indexed_at AS indexedAt FROM documents WHERE datasource = ?1 AND external_id = ?2";
  return store.exec<{ indexedAt: number }>(statement, datasource, externalId)[0]?.indexedAt ?? null;
}
