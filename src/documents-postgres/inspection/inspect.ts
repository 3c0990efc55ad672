import type { CustomValue } from "#documents/engine.ts";
import { DOCUMENTS_READ, listedPage, PRINCIPALS_SHOWN } from "#documents/inspection/inspect.ts";
import type { DocumentList, InspectedDocument, ListedDocument, ListPlace } from "#documents/inspection/inspection.ts";
import { permissionsOf } from "#documents-postgres/apply.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { CUSTOM_DATA } from "#documents-postgres/find/page.ts";

const LISTED = `d.external_id AS "externalId", d.object_type AS "objectType", d.title, d.url, d.updated_at AS "updatedAt",
  d.indexed_at AS "indexedAt"`;

/** Lists documents. Reads one row more than a page along the index of ids, however many documents there are. */
export async function listDocuments(rows: Rows, datasource: string, place: ListPlace): Promise<DocumentList> {
  const { after, before } = place;
  const isBackwards = before !== undefined;
  const found = await rows.all<ListedDocument>(
    `SELECT ${LISTED} FROM documents d WHERE d.instance_id = $1 AND d.datasource = $2
       AND d.external_id ${isBackwards ? "<" : ">"} $3
     ORDER BY d.external_id ${isBackwards ? "DESC" : "ASC"} LIMIT $4`,
    datasource,
    before ?? after ?? "",
    DOCUMENTS_READ,
  );
  return listedPage(found, place);
}

interface Row extends Omit<InspectedDocument, "tags" | "principals" | "principalCount"> {
  /** JSON. */
  readonly tags: string;
  readonly customData: readonly CustomValue[];
  readonly id: number;
}

/** Returns everything stored about a document except its text. */
export async function inspectDocument(
  rows: Rows,
  datasource: string,
  externalId: string,
): Promise<InspectedDocument | null> {
  const [row] = await rows.all<Row>(
    `SELECT ${LISTED}, d.author_name AS "authorName", d.author_email AS "authorEmail", d.created_at AS "createdAt", d.tags, d.id,
       length(d.body) AS characters, ${CUSTOM_DATA} AS "customData",
       (SELECT u.upload_id FROM bulk_uploads u WHERE u.instance_id = $1 AND u.generation = d.generation) AS "uploadId"
     FROM documents d WHERE d.instance_id = $1 AND d.datasource = $2 AND d.external_id = $3`,
    datasource,
    externalId,
  );
  if (!row) return null;
  const { tags, id, ...document } = row;
  const principals = await permissionsOf(rows, id);
  return {
    ...document,
    tags: JSON.parse(tags) as string[],
    principals: principals.slice(0, PRINCIPALS_SHOWN),
    principalCount: principals.length,
  };
}
