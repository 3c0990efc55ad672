import type { Anchors } from "#documents/anchors.ts";
import { sourcesOf } from "#documents/datasources.sql.ts";
import type { CustomValue, DescribedDocument, DocumentName, NamedDocument, WantedParts } from "#documents/engine.ts";
import type { Store } from "#documents/store.ts";
import { CUSTOM_DATA, DESCRIBED_COLUMNS } from "./read-page.ts";

/**
 * The most documents with one URL that are considered in each datasource, oldest first. Somebody who plants more only hides others in
 * the same datasource, and learns nothing about documents in another.
 */
const DOCUMENTS_OF_URL_MAX = 20;

/** Checks whether a document may be seen. */
export type IsSeen = (document: { readonly id: number; readonly accessClass: number }) => boolean;

interface Row extends Omit<DescribedDocument, "customData"> {
  /** JSON. */
  readonly customData: string;
  /** JSON. */
  readonly anchors: string | null;
}

/** Returns those of the named documents that may be seen. If several of these have one URL, it is the oldest. */
export function readDocuments(
  store: Store,
  names: readonly DocumentName[],
  isSeen: IsSeen,
  wanted: WantedParts,
): NamedDocument[] {
  const found = names.flatMap((name, position) => {
    const row = documentsNamed(store, name).find(isSeen)?.id;
    return row === undefined ? [] : [{ position, row }];
  });
  const contents = wanted.content
    ? contentsOf(
        store,
        found.map(({ row }) => row),
        wanted.contentBytesMax,
      )
    : null;
  return found.map(({ position, row }) => {
    const [{ customData, anchors, ...document }] = store.exec<Row>(
      `SELECT ${DESCRIBED_COLUMNS}, ${wanted.customData ? CUSTOM_DATA : "'[]'"} AS customData, ${wanted.content ? "d.anchors" : "NULL"} AS anchors FROM documents d WHERE d.id = ?1`,
      row,
    ) as [Row];
    return {
      ...document,
      position,
      customData: JSON.parse(customData) as CustomValue[],
      content: contents?.get(row) ?? null,
      ...(wanted.content ? { anchors: JSON.parse(anchors ?? "[]") as Anchors } : {}),
    };
  });
}

/** Returns the documents with a name, the oldest first. */
export function documentsNamed(store: Store, name: DocumentName): readonly { id: number; accessClass: number }[] {
  return "url" in name
    ? store.exec<{ id: number; accessClass: number }>(
        `${sourcesOf("documents", "url = ?1")} SELECT d.id, d.access_class AS accessClass FROM source s CROSS JOIN documents d ON d.id IN (
           SELECT id FROM documents WHERE url = ?1 AND datasource = s.name ORDER BY id LIMIT ${DOCUMENTS_OF_URL_MAX})
         ORDER BY d.id`,
        name.url,
      )
    : store.exec<{ id: number; accessClass: number }>(
        "SELECT id, access_class AS accessClass FROM documents WHERE datasource = ?1 AND external_id = ?2",
        name.datasource,
        name.externalId,
      );
}

/** Returns the texts of documents; `null`: they are more than `bytesMax` together. */
function contentsOf(store: Store, rows: readonly number[], bytesMax: number): ReadonlyMap<number, string> | null {
  const list = JSON.stringify(rows);
  const [size] = store.exec<{ bytes: number | null }>(
    "SELECT sum(octet_length(d.body)) AS bytes FROM json_each(?1) r CROSS JOIN documents d ON d.id = r.value",
    list,
  );
  if ((size?.bytes ?? 0) > bytesMax) return null;
  const texts = store.exec<{ id: number; body: string }>(
    "SELECT id, body FROM documents WHERE id IN (SELECT value FROM json_each(?1))",
    list,
  );
  return new Map(texts.map(({ id, body }) => [id, body]));
}
