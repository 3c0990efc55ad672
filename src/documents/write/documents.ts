import type { DocumentDescription, FilterTerm, IndexableDocument, Principal } from "#documents/engine.ts";
import { dayOfSeconds, OBJECT_TYPES_MAX } from "#documents/index-rules.ts";
import { lastRowOf, moveState, type Store } from "#documents/store.ts";
import { WORK } from "#documents/work.ts";
import { foldTerm } from "#protocol/folding.ts";
import { docValuesOf, NO_VALUES, writeDocValues } from "./doc-values.ts";
import { classOf } from "./access-classes.ts";
import {
  authorTerms,
  INDEXED_COLUMNS,
  type IndexedRow,
  textsOf,
  WRITTEN_COLUMNS,
  writtenValues,
} from "./document-row.ts";
import { removeIndexEntry, writeIndexEntry } from "./index-entry.ts";
import { writeInStep, type WriteStep } from "./write-step.ts";

const COLUMNS = `access_class, ${WRITTEN_COLUMNS}`;

interface NumberedRow extends IndexedRow {
  readonly id: number;
}

const INDEXED = `id, ${INDEXED_COLUMNS}`;

/**
 * Writes a new or existing document with its index entry. What its custom metadata added stays. A document that hasn't changed only
 * gets the generation and time. Runs inside the caller's transaction, as do all functions here.
 *
 * @param generation of the upload that it came with, or of a single change; a later one is higher
 * @param now epoch seconds
 * @param step what it shares with the other documents of its step; by default, it has a step of its own, as in all functions here
 * @param ownClass the class that it keeps, whatever the document says
 * @returns its row
 */
export function putDocument(
  store: Store,
  document: IndexableDocument,
  generation: number,
  now: number,
  step?: WriteStep,
  ownClass?: number,
): number {
  if (!step) return writeInStep(store, (own) => putDocument(store, document, generation, now, own, ownClass));
  const { datasource, externalId, objectType, updatedAt } = document;
  const documentClass = ownClass ?? step.classes.get(document.principals) ?? classOf(store, document.principals);
  const values = [documentClass, ...writtenValues(document)];
  const [known] = store.exec<{ id: number; same: number }>(
    `SELECT id, (${COLUMNS}) IS (${values.map((_, at) => `?${at + 3}`).join(", ")}) AS same
     FROM documents WHERE datasource = ?1 AND external_id = ?2`,
    datasource,
    externalId,
    ...values,
  );
  if (known?.same === 1) {
    store.exec("UPDATE documents SET generation = ?2, indexed_at = ?3 WHERE id = ?1", known.id, generation, now);
    return known.id;
  }
  const placed = values.map((_, at) => `?${at + 4}`).join(", ");
  if (known) {
    const statement = `UPDATE documents SET generation = ?2, indexed_at = ?3, (${COLUMNS}) = (${placed}) WHERE id = ?1`;
    store.exec(statement, known.id, generation, now, ...values);
  } else {
    step.count(datasource, "documents", 1);
    step.moveState("rows", 1);
    const named = `?${values.length + 4}, ?${values.length + 5}`;
    store.exec(
      `INSERT INTO documents (id, generation, indexed_at, ${COLUMNS}, datasource, external_id)
       VALUES (?1, ?2, ?3, ${placed}, ${named})`,
      step.stateOf("rows"),
      generation,
      now,
      ...values,
      datasource,
      externalId,
    );
  }
  const id = known?.id ?? step.stateOf("rows");
  const [row] = store.exec<NumberedRow>(`SELECT ${INDEXED} FROM documents WHERE id = ?1`, id) as [NumberedRow];
  const kind = kindOf(store, foldTerm(datasource), foldTerm(objectType));
  const before = known === undefined ? null : docValuesOf(store, row.id, step).length;
  const length = reindex(store, row, before, step);
  writeDocValues(store, row.id, { accessClass: documentClass, kind, length, day: dayOfSeconds(updatedAt) }, step);
  return row.id;
}

/** Replaces a document's permissions. */
export function permitDocument(
  store: Store,
  id: number,
  principals: readonly Principal[],
  now: number,
  step?: WriteStep,
): void {
  if (!step) return writeInStep(store, (own) => permitDocument(store, id, principals, now, own));
  const documentClass = step.classes.get(principals) ?? classOf(store, principals);
  // What a pipeline sent no longer holds, so it has to send the document again.
  const statement = "UPDATE documents SET access_class = ?2, indexed_at = ?3, content_hash = NULL WHERE id = ?1";
  store.exec(statement, id, documentClass, now);
  writeDocValues(store, id, { accessClass: documentClass }, step);
}

/** Replaces what custom metadata adds to a document. */
export function describeDocument(store: Store, id: number, described: DocumentDescription, step?: WriteStep): void {
  if (!step) return writeInStep(store, (own) => describeDocument(store, id, described, own));
  const { words, terms } = described;
  step.work += terms.length * WORK.learnt;
  const [row] = store.exec<NumberedRow & { bytes: number }>(
    `UPDATE documents SET metadata_words = ?2, metadata_terms = ?3
     WHERE id = ?1 AND (metadata_words <> ?2 OR metadata_terms <> ?3) RETURNING ${INDEXED}, octet_length(body) AS bytes`,
    id,
    words,
    JSON.stringify(termIdsOf(store, terms)),
  );
  if (!row) return;
  step.work += WORK.document + row.bytes * WORK.storedByte;
  writeDocValues(store, id, { length: reindex(store, row, docValuesOf(store, id, step).length, step) }, step);
}

/** Removes a document, its values of custom metadata, and its index entry. */
export function removeDocument(store: Store, id: number, step?: WriteStep): void {
  if (!step) return writeInStep(store, (own) => removeDocument(store, id, own));
  const { length } = docValuesOf(store, id, step);
  const [removed] = store.exec<{ datasource: string }>("DELETE FROM documents WHERE id = ?1 RETURNING datasource", id);
  if (!removed) return;
  step.count(removed.datasource, "documents", -1);
  store.exec("DELETE FROM document_metadata WHERE document_id = ?1", id);
  removeIndexEntry(store, id, step);
  writeDocValues(store, id, NO_VALUES, step);
  step.moveTotals(-1, -length);
}

/**
 * Gives a document another id, with everything that is stored under it.
 *
 * @returns what that took, in microseconds
 */
export function moveDocument(store: Store, from: number, to: number, step: WriteStep): number {
  const values = docValuesOf(store, from, step);
  store.exec("UPDATE documents SET id = ?2 WHERE id = ?1", from, to);
  store.exec("UPDATE document_metadata SET document_id = ?2 WHERE document_id = ?1", from, to);
  removeIndexEntry(store, from, step);
  const [row] = store.exec<NumberedRow>(`SELECT ${INDEXED} FROM documents WHERE id = ?1`, to) as [NumberedRow];
  const { length, work } = index(store, row, step);
  writeDocValues(store, from, NO_VALUES, step);
  writeDocValues(store, to, { ...values, length }, step);
  step.moveTotals(0, length - values.length);
  return work;
}

/** Indexes a document again, by the rules of today. @returns what that took, in microseconds */
export function reindexDocument(store: Store, id: number, step: WriteStep): number {
  const before = docValuesOf(store, id, step).length;
  removeIndexEntry(store, id, step);
  const [row] = store.exec<NumberedRow>(`SELECT ${INDEXED} FROM documents WHERE id = ?1`, id) as [NumberedRow];
  const { length, work } = index(store, row, step);
  writeDocValues(store, id, { length }, step);
  step.moveTotals(0, length - before);
  return work;
}

/** Call this when users, groups or memberships of a datasource change: the next search works out again who can see what. */
export function forgetRights(store: Store): void {
  moveState(store, "memberships", 1);
}

/** Returns the ids of filter terms, in order. New terms get one. */
function termIdsOf(store: Store, terms: readonly FilterTerm[]): number[] {
  const distinct = [...new Set(terms.map((term) => JSON.stringify(term)))];
  if (distinct.length === 0) return [];
  const list = `[${distinct.join(",")}]`;
  const known = () =>
    store
      .exec<{ id: number }>(
        `SELECT f.id FROM json_each(?1) t
         CROSS JOIN filter_terms f ON f.field = t.value ->> 0 AND f.value = t.value ->> 1 ORDER BY f.id`,
        list,
      )
      .map(({ id }) => id);
  const before = known();
  if (before.length === distinct.length) return before;
  store.exec(
    `INSERT INTO filter_terms (field, value) SELECT t.value ->> 0, t.value ->> 1 FROM json_each(?1) t
     WHERE NOT EXISTS (SELECT 1 FROM filter_terms f WHERE f.field = t.value ->> 0 AND f.value = t.value ->> 1)`,
    list,
  );
  return known();
}

/**
 * Brings the index in line with a document's row.
 *
 * @param before the length that it had in the index; `null`: it wasn't indexed
 * @returns its length
 */
function reindex(store: Store, row: NumberedRow, before: number | null, step: WriteStep): number {
  if (before !== null) removeIndexEntry(store, row.id, step);
  const { length } = index(store, row, step);
  step.moveTotals(before === null ? 1 : 0, length - (before ?? 0));
  return length;
}

function index(store: Store, row: NumberedRow, step: WriteStep) {
  const terms = [...termIdsOf(store, authorTerms(row)), ...(JSON.parse(row.metadata_terms) as number[])];
  return writeIndexEntry(store, row.id, { texts: textsOf(row), terms }, step);
}

/** Returns the number of a pair of datasource and object type, both folded. */
function kindOf(store: Store, datasource: string, objectType: string): number {
  const [known] = store.exec<{ id: number }>(
    "SELECT id FROM kinds WHERE datasource = ?1 AND object_type = ?2",
    datasource,
    objectType,
  );
  if (known) return known.id;
  const statement = "SELECT count(*) AS count FROM kinds WHERE datasource = ?1";
  const types = store.exec<{ count: number }>(statement, datasource)[0]?.count ?? 0;
  if (types >= OBJECT_TYPES_MAX && objectType !== "") return kindOf(store, datasource, "");
  store.exec("INSERT INTO kinds (datasource, object_type) VALUES (?1, ?2)", datasource, objectType);
  return lastRowOf(store);
}
