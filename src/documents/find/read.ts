import type { CustomValue, DescribedDocument, DocumentName, NamedDocument, WantedParts } from "#documents/engine.ts";
import type { Store } from "#documents/store.ts";
import { CUSTOM_DATA, DESCRIBED_COLUMNS } from "./page.ts";

/** The most documents of one URL that are considered, oldest first. Anybody who plants more only hides their own. */
export const DOCUMENTS_OF_URL_MAX = 100;

interface Row extends Omit<DescribedDocument, "customData"> {
  /** JSON. */
  readonly customData: string;
}

/**
 * Returns those of the named documents that may be seen. If several of these have one URL, it is the oldest.
 *
 * @param classes which classes of permissions the person holds
 */
export function readDocuments(
  store: Store,
  names: readonly DocumentName[],
  classes: Uint8Array,
  wanted: WantedParts,
): NamedDocument[] {
  const found = names.flatMap((name, position) => {
    const row = visibleRow(store, name, classes);
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
    const [{ customData, ...document }] = store.exec<Row>(
      `SELECT ${DESCRIBED_COLUMNS}, ${wanted.customData ? CUSTOM_DATA : "'[]'"} AS customData FROM documents d WHERE d.id = ?1`,
      row,
    ) as [Row];
    return {
      ...document,
      position,
      customData: JSON.parse(customData) as CustomValue[],
      content: contents?.get(row) ?? null,
    };
  });
}

/** Returns the row of a document that may be seen. */
function visibleRow(store: Store, name: DocumentName, classes: Uint8Array): number | undefined {
  return documentsNamed(store, name).find((row) => classes[row.class] === 1)?.id;
}

/** Returns the documents with a name, the oldest first. */
export function documentsNamed(store: Store, name: DocumentName): readonly { id: number; class: number }[] {
  return "url" in name
    ? store.exec<{ id: number; class: number }>(
        "SELECT id, class FROM documents WHERE url = ?1 ORDER BY id LIMIT ?2",
        name.url,
        DOCUMENTS_OF_URL_MAX,
      )
    : store.exec<{ id: number; class: number }>(
        "SELECT id, class FROM documents WHERE datasource = ?1 AND external_id = ?2",
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
