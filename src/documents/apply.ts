import { noteSingleChange, singleGeneration } from "./generations.ts";
import { hasRoomFor } from "./counts.ts";
import type { ChangeOutcome, DocumentChange } from "./engine.ts";
import type { Store } from "./store.ts";
import { forgetRemoved } from "./uploads/removed-documents.ts";
import { type ResolvedClasses, writeInStep, type WriteStep } from "./write/write-step.ts";
import { permitDocument, putDocument, removeDocument } from "./write/documents.ts";

/**
 * Applies single changes by a pipeline, inside the caller's transaction. If a datasource has no room for its new documents,
 * applies none of them.
 */
export function applyChanges(
  store: Store,
  changes: readonly DocumentChange[],
  now: number,
  classes?: ResolvedClasses,
): ChangeOutcome[] {
  const puts = Map.groupBy(
    changes.filter((change) => change.act === "put"),
    ({ document }) => document.datasource,
  );
  for (const [datasource, documents] of puts) {
    const isKnown = ({ document }: (typeof documents)[number]) =>
      rowOf(store, datasource, document.externalId) !== undefined;
    if (!hasRoomFor(store, datasource, "documents", documents, isKnown)) return changes.map(() => "full");
  }
  const generation = singleGeneration(store);
  return writeInStep(
    store,
    (step) => changes.map((change) => applyChange(store, change, generation, now, step)),
    classes,
  );
}

function applyChange(
  store: Store,
  change: DocumentChange,
  generation: number,
  now: number,
  step: WriteStep,
): ChangeOutcome {
  if (change.act === "put") {
    putDocument(store, change.document, generation, now, step);
    return "done";
  }
  const { datasource, externalId } = change;
  const row = rowOf(store, datasource, externalId);
  if (change.act === "remove") {
    if (row) removeDocument(store, row.id, step);
    forgetRemoved(store, datasource, externalId, step);
    noteSingleChange(store, datasource, "documents", externalId);
    return "done";
  }
  if (!row) return "no_document";
  permitDocument(store, row.id, change.principals, now, step);
  noteSingleChange(store, datasource, "permissions", externalId);
  return "done";
}

/** Returns a document's row, and the generation of the upload that brought it or of a later single change. */
export function rowOf(
  store: Store,
  datasource: string,
  externalId: string,
): { readonly id: number; readonly generation: number } | undefined {
  const statement = "SELECT id, generation FROM documents WHERE datasource = ?1 AND external_id = ?2";
  return store.exec<{ id: number; generation: number }>(statement, datasource, externalId)[0];
}
