import { rowOf } from "#documents/apply.ts";
import type { Store } from "#documents/store.ts";
import { description, isTooLarge } from "./description.ts";
import { adoptGroup } from "./groups.ts";
import type {
  DocumentReference,
  GroupValues,
  KeyValues,
  MetadataGroup,
  PropertyType,
  ValuesOutcome,
} from "./metadata.ts";
import { WORK } from "#documents/work.ts";
import { describeDocument } from "#documents/write/documents.ts";
import { type WriteStep, writeInStep } from "#documents/write/write-step.ts";

/**
 * Replaces the values of a group on several documents, inside the caller's transaction, until that has taken long enough: only the
 * index shows how much there is to read again.
 *
 * @param work when to stop, in microseconds
 * @returns the outcomes of those that were tried: at least one
 */
export function putGroupValues(store: Store, { group, documents }: GroupValues, work: number): ValuesOutcome[] {
  return writeInStep(store, (step) => {
    const outcomes: ValuesOutcome[] = [];
    for (const { document, values } of documents) {
      outcomes.push(putValues(store, document, group, values, step));
      step.work += WORK.change;
      if (step.work >= work) break;
    }
    return outcomes;
  });
}

/** Replaces all values of a group on a document, or changes nothing, inside the caller's transaction. */
export function putValues(
  store: Store,
  reference: DocumentReference,
  group: MetadataGroup,
  values: readonly KeyValues[],
  step?: WriteStep,
): ValuesOutcome {
  if (!adoptGroup(store, group)) return { kind: "stale" };
  const ids = candidates(store, reference);
  const [id] = ids;
  if (id === undefined) return { kind: "no_document" };
  if (ids.length > 1) return { kind: "several_documents" };
  const objection = objectionTo(group, values);
  if (objection) return objection;
  const entries = entriesOf(group, values);
  const described = description(store, id, { groupId: group.id, entries });
  if (Object.keys(entries).length > 0 && isTooLarge(described)) return { kind: "too_large" };
  store.exec("DELETE FROM document_metadata WHERE document_id = ?1 AND group_id = ?2", id, group.id);
  if (Object.keys(entries).length > 0) {
    store.exec(
      "INSERT INTO document_metadata (document_id, group_id, entries, version) VALUES (?1, ?2, ?3, ?4)",
      id,
      group.id,
      JSON.stringify(entries),
      group.version,
    );
  }
  describeDocument(store, id, described, step);
  return { kind: "done" };
}

/**
 * Returns the named document; without a datasource, up to two, which shows ambiguity. A name with a datasource never stands for an id:
 * whoever may write another datasource could otherwise plant a document whose id is the name of one that is absent, and get its values.
 */
function candidates(store: Store, { datasource, externalId }: DocumentReference): number[] {
  if (datasource !== "") {
    const named = rowOf(store, datasource, externalId);
    return named ? [named.id] : [];
  }
  const rows = store.exec<{ id: number }>(
    `SELECT d.id FROM datasources s CROSS JOIN documents d ON d.datasource = s.name AND d.external_id = ?1 LIMIT 2`,
    externalId,
  );
  return rows.map((row) => row.id);
}

/** Returns values by the ids of their keys, without keys that have none. */
function entriesOf(group: MetadataGroup, values: readonly KeyValues[]): Record<string, readonly string[]> {
  return Object.fromEntries(
    values.flatMap((value) => {
      const key = group.keys.find(({ name }) => name === value.name);
      return key && value.values.length > 0 ? [[key.id, value.values]] : [];
    }),
  );
}

/** Returns why a group can't take these values. */
function objectionTo({ keys }: MetadataGroup, values: readonly KeyValues[]): ValuesOutcome | undefined {
  const byName = new Map(keys.map((key) => [key.name, key]));
  const unknown = values.find(({ name }) => !byName.has(name));
  if (unknown) return { kind: "unknown_key", key: unknown.display };
  const isListKey = ({ name }: KeyValues) => isList(byName.get(name)?.propertyType ?? "TEXT");
  const wrong = values.find((value) => value.isList !== isListKey(value));
  return wrong && { kind: "wrong_type", key: wrong.display, isListKey: isListKey(wrong) };
}

function isList(type: PropertyType): boolean {
  return type === "TEXTLIST" || type === "MULTIPICKLIST";
}
