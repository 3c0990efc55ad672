import type { Language } from "#documents/languages.ts";
import { setState, stateOf, type Store } from "#documents/store.ts";
import { heldUploads } from "#documents/uploads/statuses.ts";
import type { DocumentStats } from "./keeping.ts";

/** Returns the statistics that the tables contain. */
export function statsOf(store: Store): Omit<DocumentStats, "bytes" | "fullestBytes" | "searches" | "alarmAt"> {
  const stages = store.exec<{ stage: string; count: number }>(
    "SELECT stage, count(*) AS count FROM bulk_uploads WHERE stage IN ('receiving', 'removing') GROUP BY stage",
  );
  const inStage = (name: string) => stages.find(({ stage }) => stage === name)?.count ?? 0;
  return {
    datasources: datasourceStats(store),
    languages: languagesOfNewest(store),
    receiving: inStage("receiving"),
    removing: inStage("removing"),
    held: heldUploads(store),
    lastRefusal: lastRefusal(store),
    alarmFailedAt: stateOf(store, "upkeep failed"),
  };
}

/** Returns the latest refusal. Leaves out uploads of groups' members, because there may be very many. */
function lastRefusal(store: Store): DocumentStats["lastRefusal"] {
  const [latest] = store.exec<NonNullable<DocumentStats["lastRefusal"]>>(
    `SELECT u.datasource, u.errors ->> '$[0].at' AS at, u.errors ->> '$[0].message' AS message
     FROM datasources d CROSS JOIN bulk_uploads u
       ON u.datasource = d.name AND u.kind IN ('documents', 'users', 'groups') AND u.group_name = ''
     WHERE u.errors <> '[]' ORDER BY at DESC LIMIT 1`,
  );
  return latest ?? null;
}

/** Remembers when a step of the clean-up failed; 0: it didn't. */
export function noteUpkeep(store: Store, failedAt: number): void {
  if (stateOf(store, "upkeep failed") !== failedAt) setState(store, "upkeep failed", failedAt);
}

/** Returns what each datasource has, and when its documents were last uploaded. */
function datasourceStats(store: Store): DocumentStats["datasources"] {
  return store.exec<DocumentStats["datasources"][number]>(
    `SELECT d.name, d.documents, d.users, d.groups, d.memberships, u.changed_at AS lastUploadAt
     FROM datasources d LEFT JOIN bulk_uploads u ON u.datasource = d.name AND u.kind = 'documents' AND u.group_name = ''
     ORDER BY d.name`,
  );
}

function languagesOfNewest(store: Store): DocumentStats["languages"] {
  const counts = store.exec<{ language: Language; count: number }>(
    `SELECT language, count(*) AS count FROM (SELECT language FROM term_vectors ORDER BY id DESC LIMIT 200)
     WHERE language IS NOT NULL GROUP BY language`,
  );
  return Object.fromEntries(counts.map(({ language, count }) => [language, count]));
}

/** Returns when a document was last indexed; `null`: there is no such document. */
export function indexedAt(store: Store, datasource: string, externalId: string): number | null {
  const statement = "SELECT indexed_at AS indexedAt FROM documents WHERE datasource = ?1 AND external_id = ?2";
  return store.exec<{ indexedAt: number }>(statement, datasource, externalId)[0]?.indexedAt ?? null;
}
