import type { CustomValue, DescribedDocument, DocumentName, NamedDocument, WantedParts } from "#documents/engine.ts";
import { DOCUMENTS_OF_URL_MAX } from "#documents/find/read.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";
import type { Held } from "#documents-postgres/rights/held.ts";
import { CUSTOM_DATA, DESCRIBED_COLUMNS } from "./page.ts";
import { Parameters } from "./parameters.ts";
import { maySee } from "./scope.ts";

interface Row extends Omit<DescribedDocument, "customData"> {
  readonly id: number;
  readonly customData: readonly CustomValue[];
}

/** A document that a name refers to, and whether the person may see it. */
export interface Named {
  readonly id: number;
  readonly isSeen: boolean;
}

/**
 * Returns those of the named documents that the person may see. If several of these have the same URL, the oldest is returned.
 */
export async function readDocuments(
  rows: Rows,
  names: readonly DocumentName[],
  held: Held,
  wanted: WantedParts,
): Promise<NamedDocument[]> {
  const found: { readonly position: number; readonly id: number }[] = [];
  for (const [position, name] of names.entries()) {
    const seen = (await documentsNamed(rows, name, held)).find(({ isSeen }) => isSeen);
    if (seen) found.push({ position, id: seen.id });
  }
  if (found.length === 0) return [];
  const ids = numberList(found.map(({ id }) => id));
  const documents = await rows.all<Row>(
    `SELECT d.id, ${DESCRIBED_COLUMNS}, ${wanted.customData ? CUSTOM_DATA : "'[]'::json"} AS "customData" FROM documents d
     WHERE d.instance_id = $1 AND d.id = ANY ($2::int[])`,
    ids,
  );
  const byId = new Map(documents.map(({ id, ...document }) => [id, document]));
  const contents = wanted.content ? await contentsOf(rows, ids, wanted.contentBytesMax) : null;
  return found.flatMap(({ position, id }) => {
    const document = byId.get(id);
    return document ? [{ ...document, position, content: contents?.get(id) ?? null }] : [];
  });
}

/** Returns the documents that a name refers to, oldest first. */
export async function documentsNamed(rows: Rows, name: DocumentName, held: Held): Promise<readonly Named[]> {
  const parameters = new Parameters();
  const isSeen = maySee(held, parameters);
  const named =
    "url" in name
      ? ofUrl(parameters.add(name.url, "text"))
      : `SELECT id FROM documents WHERE instance_id = $1 AND datasource = ${parameters.add(name.datasource, "text")}
           AND external_id = ${parameters.add(name.externalId, "text")}`;
  return rows.all<Named>(
    `SELECT d.id, (${isSeen}) AS "isSeen" FROM (${named}) d JOIN entries e ON e.instance_id = $1 AND e.id = d.id ORDER BY d.id`,
    ...parameters.values,
  );
}

/** Selects the oldest documents with a URL in each datasource. Only the index of datasource and URL helps, so the planner uses it. */
function ofUrl(url: string): string {
  return `SELECT o.id FROM datasources s CROSS JOIN LATERAL (
      SELECT u.id FROM documents u
      WHERE u.instance_id = $1 AND md5(u.datasource || ' ' || u.url COLLATE "C") = md5(s.name || ' ' || ${url} COLLATE "C") AND u.url = ${url}
      ORDER BY u.id LIMIT ${DOCUMENTS_OF_URL_MAX}) o WHERE s.instance_id = $1 AND s.documents > 0`;
}

/** Returns the texts of documents; `null` if these have more than `bytesMax` bytes together. */
async function contentsOf(rows: Rows, ids: string, bytesMax: number): Promise<ReadonlyMap<number, string> | null> {
  const [size] = await rows.all<{ bytes: number | null }>(
    "SELECT sum(octet_length(body))::bigint AS bytes FROM documents WHERE instance_id = $1 AND id = ANY ($2::int[])",
    ids,
  );
  if ((size?.bytes ?? 0) > bytesMax) return null;
  const statement = "SELECT id, body FROM documents WHERE instance_id = $1 AND id = ANY ($2::int[])";
  const texts = await rows.all<{ id: number; body: string }>(statement, ids);
  return new Map(texts.map(({ id, body }) => [id, body]));
}
