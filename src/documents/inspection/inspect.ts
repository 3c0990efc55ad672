import type { CustomValue } from "#documents/engine.ts";
import { CUSTOM_DATA } from "#documents/find/page/read-page.ts";
import { principalsOf } from "#documents/principals.ts";
import type { Store } from "#documents/store.ts";
import type { DocumentList, InspectedDocument, ListedDocument, ListPlace } from "./inspection.ts";

const DOCUMENTS_PER_PAGE = 50;

const PRINCIPALS_SHOWN = 100;

const LISTED = `d.external_id AS externalId, d.object_type AS objectType, d.title, d.url, d.updated_at AS updatedAt,
  d.indexed_at AS indexedAt, d.content_hash AS contentHash`;

/** Lists documents along the index of ids, reading one row more than a page, however many documents there are. */
export function listDocuments(store: Store, datasource: string, place: ListPlace): DocumentList {
  const { after, before, most = DOCUMENTS_PER_PAGE } = place;
  const isBackwards = before !== undefined;
  const rows = store.exec<ListedDocument>(
    `SELECT ${LISTED} FROM documents d WHERE d.datasource = ?1 AND d.external_id ${isBackwards ? "<" : ">"} ?2
     ORDER BY d.external_id ${isBackwards ? "DESC" : "ASC"} LIMIT ?3`,
    datasource,
    before ?? after ?? "",
    // One more than a page, to show whether there are others.
    most + 1,
  );
  return listedPage(rows, place);
}

/**
 * Returns the page that was asked for.
 *
 * @param found up to one document more than a page, those nearest to the place first
 */
export function listedPage(found: readonly ListedDocument[], place: ListPlace): DocumentList {
  const { after, before, most = DOCUMENTS_PER_PAGE } = place;
  const hasMore = found.length > most;
  const documents = found.slice(0, most);
  if (before !== undefined) return { documents: documents.toReversed(), hasEarlier: hasMore, hasLater: true };
  return { documents, hasEarlier: after !== undefined, hasLater: hasMore };
}

interface Row extends Omit<InspectedDocument, "tags" | "customData" | "principals" | "principalCount"> {
  /** JSON. */
  readonly tags: string;
  /** JSON. */
  readonly customData: string;
  readonly accessClass: number;
}

/** Returns everything stored about a document except its text. */
export function inspectDocument(store: Store, datasource: string, externalId: string): InspectedDocument | null {
  const [row] = store.exec<Row>(
    `SELECT ${LISTED}, d.author_name AS authorName, d.author_email AS authorEmail, d.created_at AS createdAt, d.tags, d.access_class AS accessClass,
       length(d.body) AS characters, ${CUSTOM_DATA} AS customData,
       (SELECT u.upload_id FROM bulk_uploads u WHERE u.generation = d.generation) AS uploadId
     FROM documents d WHERE d.datasource = ?1 AND d.external_id = ?2`,
    datasource,
    externalId,
  );
  if (!row) return null;
  const { tags, customData, accessClass, ...document } = row;
  const principals = principalsOf(store, accessClass);
  return {
    ...document,
    tags: JSON.parse(tags) as string[],
    customData: JSON.parse(customData) as CustomValue[],
    principals: principals.slice(0, PRINCIPALS_SHOWN),
    principalCount: principals.length,
  };
}
