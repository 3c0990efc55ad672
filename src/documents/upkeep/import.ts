import { rowOf } from "#documents/apply.ts";
import { count } from "#documents/counts.ts";
import { singleGeneration } from "#documents/generations.ts";
import { description } from "#documents/metadata/description.ts";
import { adoptGroup } from "#documents/metadata/groups.ts";
import { removeGroup } from "#documents/rights/change-rights.ts";
import { type Described, generationOf, putDescribed } from "#documents/rights/described.ts";
import type { Store } from "#documents/store.ts";
import { describeDocument, forgetRights, putDocument } from "#documents/write/documents.ts";
import type { ExportedDocument, ExportLine, ImportPage } from "./keeping.ts";

/**
 * Writes lines of a backup, inside the caller's transaction, and remembers up to where.
 *
 * @returns how many of the backup's lines are written; `null`: there is something that this backup did not bring
 */
export function importPage(store: Store, { backup, from, lines }: ImportPage): number | null {
  const name = `import ${backup}`;
  const [begun] = store.exec<{ value: number }>("SELECT value FROM state WHERE name = ?1", name);
  if (!begun && holdsAnything(store)) return null;
  const taken = begun?.value ?? 0;
  if (from !== taken) return taken;
  const generation = singleGeneration(store);
  forgetRights(store);
  for (const line of lines) importLine(store, line, generation);
  store.exec(
    "INSERT INTO state (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    name,
    taken + lines.length,
  );
  return taken + lines.length;
}

function holdsAnything(store: Store): boolean {
  const statement = "SELECT 1 FROM datasources WHERE documents + users + groups + memberships > 0 LIMIT 1";
  return store.exec(statement).length > 0;
}

function importLine(store: Store, line: ExportLine, generation: number): void {
  const put = ({ datasource }: { readonly datasource: string }, described: Described) =>
    putDescribed(store, datasource, described, generation, generationOf(store, datasource, described));
  if ("metadataGroup" in line) {
    adoptGroup(store, line.metadataGroup);
  } else if ("user" in line) {
    put(line.user, { kind: "users", user: line.user });
  } else if ("group" in line) {
    const { datasource, name, isDeleted } = line.group;
    put(line.group, { kind: "groups", name });
    // What is left of its memberships, which were exported with it, goes by alarm.
    if (isDeleted) removeGroup(store, datasource, name, generation, 0);
  } else if ("membership" in line) {
    put(line.membership, { kind: "memberships", membership: line.membership });
  } else {
    importDocument(store, line.document, generation);
  }
}

function importDocument(store: Store, exported: ExportedDocument, generation: number): void {
  const { values, indexedAt, ...document } = exported;
  if (!rowOf(store, document.datasource, document.externalId)) count(store, document.datasource, "documents", 1);
  const id = putDocument(store, document, generation, indexedAt);
  store.exec("DELETE FROM document_metadata WHERE document_id = ?1", id);
  for (const [groupId, entries] of Object.entries(values)) {
    store.exec(
      `INSERT INTO document_metadata (document_id, group_id, entries, version)
       VALUES (?1, ?2, ?3, COALESCE((SELECT version FROM metadata_groups WHERE id = ?2), 0))`,
      id,
      Number(groupId),
      JSON.stringify(entries),
    );
  }
  describeDocument(store, id, description(store, id));
}
