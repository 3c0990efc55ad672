import type { DocumentStats } from "#documents/upkeep/keeping.ts";
import type { UploadStatus } from "#documents/uploads/uploads.ts";
import type { Rows } from "#documents-postgres/database.ts";

/**
 * About how many bytes the tables and indexes take for a document and for each of its words, measured on the benchmark's
 * documents.
 */
const BYTES_A_DOCUMENT = 2000;
const BYTES_A_WORD = 40;

interface Kept {
  readonly documents: number;
  readonly length: number;
  readonly alarmAt: number | null;
  readonly alarmFailedAt: number;
}

/** Returns the statistics that the tables contain. */
export async function statsOf(rows: Rows): Promise<Omit<DocumentStats, "searches">> {
  const [kept] = await rows.all<Kept>(
    `SELECT documents, length, upkeep_at AS "alarmAt", upkeep_failed_at AS "alarmFailedAt" FROM instances WHERE instance_id = $1`,
  );
  const { documents, length, alarmAt, alarmFailedAt } = kept ?? {
    documents: 0,
    length: 0,
    alarmAt: null,
    alarmFailedAt: 0,
  };
  const [stages] = await rows.all<{ receiving: number; removing: number }>(
    `SELECT count(*) FILTER (WHERE stage = 'receiving') AS receiving, count(*) FILTER (WHERE stage = 'removing') AS removing
     FROM bulk_uploads WHERE instance_id = $1 AND stage IN ('receiving', 'removing')`,
  );
  return {
    bytes: documents * BYTES_A_DOCUMENT + length * BYTES_A_WORD,
    fullestBytes: documents * BYTES_A_DOCUMENT + length * BYTES_A_WORD,
    datasources: await datasourceStats(rows),
    receiving: stages?.receiving ?? 0,
    removing: stages?.removing ?? 0,
    lastRefusal: await lastRefusal(rows),
    alarmAt,
    alarmFailedAt,
  };
}

/**
 * Returns the latest refusal of an upload. Uploads of groups' members are left out, because there may be very many. The JSON is parsed
 * here: a message may repeat NUL or half of a surrogate pair from a request, and PostgreSQL can't read these from JSON.
 */
async function lastRefusal(rows: Rows): Promise<DocumentStats["lastRefusal"]> {
  const [latest] = await rows.all<{ datasource: string; errors: string }>(
    `SELECT u.datasource, u.errors FROM bulk_uploads u WHERE u.instance_id = $1 AND u.group_name = '' AND u.errors <> '[]'
     ORDER BY substring(u.errors FROM '^\\[\\{"at":([0-9]+)')::bigint DESC NULLS LAST LIMIT 1`,
  );
  if (!latest) return null;
  const [{ at, message }] = JSON.parse(latest.errors) as [UploadStatus["errors"][number]];
  return { datasource: latest.datasource, at, message };
}

/** Returns what each datasource has, and when its documents were last uploaded. */
async function datasourceStats(rows: Rows): Promise<DocumentStats["datasources"]> {
  return rows.all<DocumentStats["datasources"][number]>(
    `SELECT d.name, d.documents, d.users, d.groups, d.memberships, u.changed_at AS "lastUploadAt"
     FROM datasources d LEFT JOIN bulk_uploads u ON u.instance_id = $1 AND u.datasource = d.name
       AND u.kind = 'documents' AND u.group_name = ''
     WHERE d.instance_id = $1 ORDER BY d.name`,
  );
}

/** Returns when a document was last indexed; `null` if there is no such document. */
export async function indexedAt(rows: Rows, datasource: string, externalId: string): Promise<number | null> {
  const [row] = await rows.all<{ indexedAt: number }>(
    `SELECT indexed_at AS "indexedAt" FROM documents WHERE instance_id = $1 AND datasource = $2 AND external_id = $3`,
    datasource,
    externalId,
  );
  return row?.indexedAt ?? null;
}
