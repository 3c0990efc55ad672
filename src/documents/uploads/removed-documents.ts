import { count } from "#documents/counts.ts";
import { principalsOf } from "#documents/principals.ts";
import type { Store } from "#documents/store.ts";
import { type DocumentRow, documentsWithin } from "#documents/upkeep/export.ts";
import type { ExportedDocument } from "#documents/upkeep/keeping.ts";
import { classOf } from "#documents/write/access-classes.ts";
import { EXPORTED_COLUMNS, WRITTEN_COLUMNS, writtenValues } from "#documents/write/document-row.ts";
import type { WriteStep } from "#documents/write/write-step.ts";

/** How long documents that an upload removed can be brought back. */
const KEPT_SECONDS = 7 * 24 * 3600;

/** The clean-up leaves their classes for this much longer, so that these are not written with each document. */
const CLASS_SECONDS = 24 * 3600;

/** The most that one step erases. */
const ERASED_A_STEP = 100;

/** Ids begin with the second of the removal, so that those that were removed first come first, and no index has to order them. */
const IDS_A_SECOND = 2 ** 20;

const COLUMNS = `datasource, external_id, indexed_at, access_class, ${WRITTEN_COLUMNS}`;

/** Keeps a document that is about to be removed, inside the caller's transaction, as do all functions here. */
export function keepRemoved(
  store: Store,
  { id, datasource, externalId }: KeptDocument,
  now: number,
  step: WriteStep,
): void {
  forgetRemoved(store, datasource, externalId, step);
  store.exec(
    `INSERT INTO removed_documents (id, ${COLUMNS}, entries)
     SELECT ?2, ${COLUMNS}, (SELECT json_group_object(group_id, json(entries)) FROM document_metadata WHERE document_id = ?1)
     FROM documents WHERE id = ?1`,
    id,
    freeIdAt(store, now),
  );
  step.count(datasource, "removed", 1);
  needClass(store, "(SELECT access_class FROM documents WHERE id = ?1)", id, now);
}

/** A document by its row id and its name. */
export interface KeptDocument {
  readonly id: number;
  readonly datasource: string;
  readonly externalId: string;
}

/** Forgets a document for good. */
export function forgetRemoved(store: Store, datasource: string, externalId: string, step: WriteStep): void {
  const statement = "DELETE FROM removed_documents WHERE datasource = ?1 AND external_id = ?2 RETURNING id";
  step.count(datasource, "removed", -store.exec(statement, datasource, externalId).length);
}

/** Erases some of the documents that can't be brought back any more. @returns whether there may be more */
export function eraseExpired(store: Store, now: number): boolean {
  return erase(store, "id < ?1 ORDER BY id", Math.max(now - KEPT_SECONDS, 0) * IDS_A_SECOND);
}

/** Erases some of a datasource's removed documents. @returns whether there may be more */
export function eraseSome(store: Store, datasource: string): boolean {
  return erase(store, "datasource = ?1", datasource);
}

function erase(store: Store, which: string, value: string | number): boolean {
  const gone = store.exec<{ datasource: string }>(
    `DELETE FROM removed_documents WHERE id IN (
       SELECT id FROM removed_documents WHERE ${which} LIMIT ${ERASED_A_STEP}) RETURNING datasource`,
    value,
  );
  for (const [datasource, rows] of Map.groupBy(gone, (row) => row.datasource)) {
    count(store, datasource, "removed", -rows.length);
  }
  return gone.length > 0;
}

/** Returns when {@link eraseExpired} has to do something; `null`: never. */
export function nextExpired(store: Store): number | null {
  const [first] = store.exec<{ id: number }>("SELECT id FROM removed_documents ORDER BY id LIMIT 1");
  return first ? secondOf(first.id) + KEPT_SECONDS + 1 : null;
}

/** A removed document, with its row id. */
export interface RemovedDocument {
  readonly id: number;
  readonly removedAt: number;
  readonly document: ExportedDocument;
}

interface RemovedRow extends DocumentRow {
  readonly entries: string;
}

/** Returns removed documents after an id, up to `documentsMax` of them and about `charactersMax` characters. */
export function removedAfter(
  store: Store,
  [after = 0]: readonly (string | number)[],
  documentsMax: number,
  charactersMax: number,
): RemovedDocument[] {
  return documentsWithin(documentsMax, charactersMax, (last) =>
    removedWhere(store, "id > ?1 ORDER BY id", last?.id ?? after),
  );
}

/** Returns some removed documents of a datasource, by the index of names: others may have very many. */
export function removedOf(
  store: Store,
  datasource: string,
  documentsMax: number,
  charactersMax: number,
): RemovedDocument[] {
  const next = "datasource = ?1 AND external_id > ?2 ORDER BY external_id";
  return documentsWithin(documentsMax, charactersMax, (last) =>
    removedWhere(store, next, datasource, last?.document.externalId ?? ""),
  );
}

/** Returns a removed document by its name. */
export function namedRemoved(store: Store, datasource: string, externalId: string): RemovedDocument | undefined {
  return removedWhere(store, "datasource = ?1 AND external_id = ?2", datasource, externalId);
}

function removedWhere(
  store: Store,
  which: string,
  ...bound: readonly (string | number)[]
): RemovedDocument | undefined {
  const statement = `SELECT ${EXPORTED_COLUMNS}, entries FROM removed_documents WHERE ${which} LIMIT 1`;
  const [found] = store.exec<RemovedRow>(statement, ...bound);
  if (!found) return undefined;
  const { id, accessClass, entries, ...row } = found;
  const document = {
    ...row,
    tags: JSON.parse(row.tags) as string[],
    principals: principalsOf(store, accessClass),
    values: JSON.parse(entries) as ExportedDocument["values"],
  };
  return { id, removedAt: secondOf(id), document };
}

/** Writes a removed document as another engine has it. */
export function putRemoved(store: Store, { document, removedAt }: Omit<RemovedDocument, "id">, step: WriteStep): void {
  const { datasource, externalId, indexedAt, principals, values } = document;
  const accessClass = classOf(store, principals);
  const row = [datasource, externalId, indexedAt, accessClass, ...writtenValues(document), JSON.stringify(values)];
  forgetRemoved(store, datasource, externalId, step);
  step.count(datasource, "removed", 1);
  store.exec(
    `INSERT INTO removed_documents (id, ${COLUMNS}, entries) VALUES (?1, ${row.map((_, at) => `?${at + 2}`).join(", ")})`,
    freeIdAt(store, removedAt),
    ...row,
  );
  needClass(store, "?1", accessClass, removedAt);
}

/** Returns an unused id with a time. */
function freeIdAt(store: Store, second: number): number {
  const first = second * IDS_A_SECOND;
  const statement = "SELECT max(id) + 1 AS next FROM removed_documents WHERE id >= ?1 AND id < ?2";
  return store.exec<{ next: number | null }>(statement, first, first + IDS_A_SECOND)[0]?.next ?? first;
}

/** Returns when the removed document with an id was removed. */
export function secondOf(id: number): number {
  return Math.floor(id / IDS_A_SECOND);
}

/** Keeps a class for as long as a removed document can be brought back. @param which SQL of the class, by ?1 */
function needClass(store: Store, which: string, bound: number, removedAt: number): void {
  const until = removedAt + KEPT_SECONDS;
  store.exec(
    `UPDATE access_classes SET needed_until = ?3 WHERE id = ${which} AND needed_until < ?2`,
    bound,
    until,
    until + CLASS_SECONDS,
  );
}
