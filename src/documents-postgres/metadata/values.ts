import {
  describedBy,
  type GroupEntries,
  isTooLarge,
  type MetadataDescription,
  withGroup,
} from "#documents/metadata/description.ts";
import type {
  DocumentReference,
  KeyValues,
  MetadataGroup,
  MetadataKey,
  ValuesOutcome,
} from "#documents/metadata/metadata.ts";
import { entriesOf, objectionTo } from "#documents/metadata/values.ts";
import { namedDocument } from "#documents-postgres/apply.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { describeDocument } from "#documents-postgres/write/documents.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";
import { adoptGroup, keysOf } from "./groups.ts";

/** Replaces all values of a group on a document, or changes nothing. */
export async function putValues(
  writing: Writing,
  reference: DocumentReference,
  group: MetadataGroup,
  values: readonly KeyValues[],
): Promise<ValuesOutcome> {
  const { rows } = writing;
  if (!(await adoptGroup(rows, group))) return { kind: "stale" };
  const ids = await candidates(rows, reference);
  const [id] = ids;
  if (id === undefined) return { kind: "no_document" };
  if (ids.length > 1) return { kind: "several_documents" };
  const objection = objectionTo(group, values);
  if (objection) return objection;
  const entries = entriesOf(group, values);
  const isEmpty = Object.keys(entries).length === 0;
  const described = await descriptionOf(rows, id, { groupId: group.id, entries });
  if (!isEmpty && isTooLarge(described)) return { kind: "too_large" };
  await rows.all(
    "DELETE FROM document_metadata WHERE instance_id = $1 AND document_id = $2 AND group_id = $3",
    id,
    group.id,
  );
  if (!isEmpty) await keepValues(rows, id, { groupId: group.id, entries }, group.version);
  await describeDocument(writing, id, described);
  return { kind: "done" };
}

/** Inserts a document's values of a group. It must not have any. */
async function keepValues(rows: Rows, id: number, { groupId, entries }: GroupEntries, version: number): Promise<void> {
  await rows.all(
    `INSERT INTO document_metadata (instance_id, document_id, group_id, entries, version) VALUES ($1, $2, $3, $4::text::json, $5)`,
    id,
    groupId,
    JSON.stringify(entries),
    version,
  );
}

/**
 * Returns what a document's custom metadata adds to the index.
 *
 * @param instead values that are about to replace those of their group
 */
export async function descriptionOf(rows: Rows, id: number, instead?: GroupEntries): Promise<MetadataDescription> {
  const stored = await rows.all<GroupEntries>(
    `SELECT group_id AS "groupId", entries FROM document_metadata WHERE instance_id = $1 AND document_id = $2`,
    id,
  );
  const groups = withGroup(stored, instead);
  const keys = new Map<number, readonly MetadataKey[]>();
  for (const { groupId } of groups) keys.set(groupId, await keysOf(rows, groupId));
  return describedBy(groups, (groupId) => keys.get(groupId) ?? []);
}

/**
 * Returns the document with this datasource and id or, if there is none, documents of any datasource whose id is the whole
 * reference. Two are enough to tell that the reference is ambiguous.
 */
async function candidates(rows: Rows, { whole, datasource, externalId }: DocumentReference): Promise<number[]> {
  const named = await namedDocument(rows, datasource, externalId);
  if (named) return [named.id];
  const found = await rows.all<{ id: number }>(
    `SELECT d.id FROM datasources s JOIN documents d ON d.instance_id = $1 AND d.datasource = s.name AND d.external_id = $2
     WHERE s.instance_id = $1 LIMIT 2`,
    whole,
  );
  return found.map(({ id }) => id);
}
