import type { ChangeOutcome, DocumentChange, Principal } from "#documents/engine.ts";
import { hasRoomFor } from "./counts.ts";
import type { Rows } from "./database.ts";
import { noteSingleChange } from "./single-changes.ts";
import { permitDocument, putDocument, removeDocument } from "./write/documents.ts";
import type { Writing } from "./write/writing.ts";

/** Makes single changes for a pipeline. Writes nothing if a datasource has no room for its new documents. */
export async function applyChanges(
  writing: Writing,
  changes: readonly DocumentChange[],
  now: number,
): Promise<ChangeOutcome[]> {
  const puts = Map.groupBy(
    changes.filter((change) => change.act === "put"),
    ({ document }) => document.datasource,
  );
  for (const [datasource, documents] of puts) {
    const isKnown = async ({ document }: (typeof documents)[number]) =>
      (await namedDocument(writing.rows, datasource, document.externalId)) !== undefined;
    if (!(await hasRoomFor(writing.rows, datasource, "documents", documents, isKnown)))
      return changes.map(() => "full");
  }
  const outcomes: ChangeOutcome[] = [];
  for (const change of changes) outcomes.push(await applyChange(writing, change, now));
  return outcomes;
}

async function applyChange(writing: Writing, change: DocumentChange, now: number): Promise<ChangeOutcome> {
  const { rows } = writing;
  if (change.act === "put") {
    await putDocument(writing, change.document, writing.generation, now);
    return "done";
  }
  const { datasource, externalId } = change;
  const document = await namedDocument(rows, datasource, externalId);
  if (change.act === "remove") {
    if (document) await removeCounted(writing, datasource, document.id);
    await noteSingleChange(writing, datasource, "documents", externalId);
    return "done";
  }
  if (!document) return "no_document";
  await permitDocument(writing, document.id, change.principals, now);
  await noteSingleChange(writing, datasource, "permissions", externalId);
  return "done";
}

/** Removes a document and updates its datasource's count. */
export async function removeCounted(writing: Writing, datasource: string, id: number): Promise<void> {
  if (await removeDocument(writing, id)) writing.count(datasource, "documents", -1);
}

/** Returns a document's id, and its generation: that of the upload or single change that wrote it last. */
export async function namedDocument(
  rows: Rows,
  datasource: string,
  externalId: string,
): Promise<{ readonly id: number; readonly generation: number } | undefined> {
  const [row] = await rows.all<{ id: number; generation: number }>(
    "SELECT id, generation FROM documents WHERE instance_id = $1 AND datasource = $2 AND external_id = $3",
    datasource,
    externalId,
  );
  return row;
}

/** Returns the principals that a document's permissions name, with the ids that classes consist of. */
export async function principalsOf(rows: Rows, id: number): Promise<readonly (Principal & { readonly id: number })[]> {
  return rows.all<Principal & { readonly id: number }>(
    `SELECT p.id, p.kind, p.datasource, p.name FROM entries e
       JOIN classes c ON c.instance_id = $1 AND c.id = e.class
       CROSS JOIN unnest(c.principals) WITH ORDINALITY AS l (id, at)
       JOIN principals p ON p.instance_id = $1 AND p.id = l.id
     WHERE e.instance_id = $1 AND e.id = $2 ORDER BY l.at`,
    id,
  );
}

/** Returns the same as {@link principalsOf} without the ids. */
export async function permissionsOf(rows: Rows, id: number): Promise<Principal[]> {
  return (await principalsOf(rows, id)).map(({ kind, datasource, name }) => ({ kind, datasource, name }));
}
