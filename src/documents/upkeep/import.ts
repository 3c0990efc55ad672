import { singleGeneration } from "#documents/generations.ts";
import { description } from "#documents/metadata/description.ts";
import { adoptGroup } from "#documents/metadata/groups.ts";
import { generationOf, putDescribed } from "#documents/rights/described.ts";
import type { Described } from "#documents/rights/rights.ts";
import { hasMembers, markGroupGone, markGroupLeaving } from "#documents/rights/rights.sql.ts";
import { setState, stateOf, type Store } from "#documents/store.ts";
import { describeDocument, forgetRights, putDocument } from "#documents/write/documents.ts";
import { writeInStep, type WriteStep } from "#documents/write/write-step.ts";
import type { ExportedDocument, ExportLine, ImportPage } from "./keeping.ts";

/** How long after its last page a restore keeps pipelines out. Until it is complete, it could undo what they deleted or restricted. */
const RESTORE_PAUSE_SECONDS = 3600;

/**
 * Writes lines of a backup, inside the caller's transaction, and remembers how far it is. A page without lines only asks for that. In
 * an instance that is empty again, a backup starts over.
 *
 * @returns how many of the backup's lines are written; `null`: the instance contains something that isn't from this backup
 */
export function importPage(store: Store, page: ImportPage, now: number): number | null {
  const { backup, from, lines, covers = lines.length, isLast } = page;
  const isEmpty = !holdsAnything(store);
  const taken = isEmpty && from === 0 ? 0 : stateOf(store, `import ${backup}`);
  if (taken === 0 && !isEmpty) return null;
  if (from !== taken || covers === 0) return taken;
  if (taken === 0) forgetEarlier(store);
  const generation = singleGeneration(store);
  forgetRights(store);
  writeInStep(store, (step) => {
    for (const line of lines) importLine(store, line, generation, step);
  });
  setState(store, `import ${backup}`, taken + covers);
  // The marks of deleted groups come before the documents that name them, so they must not be removed until these are written.
  setState(store, "importing", isLast ? 0 : now);
  return taken + covers;
}

/**
 * Call this before a pipeline writes. Gives up a restore that has stopped, so that none of its pages overrides the pipeline.
 *
 * @throws while a restore is in progress: pipelines try again later
 */
export function requireNoRestore(store: Store, now: number): void {
  const importingAt = stateOf(store, "importing");
  if (importingAt === 0) return;
  if (now - importingAt < RESTORE_PAUSE_SECONDS) throw new Error("documents_restoring: a restore is under way");
  store.exec("DELETE FROM state WHERE name LIKE 'import%'");
}

/** Checks whether there are documents, users, groups or memberships. Marks of deleted groups don't count. */
function holdsAnything(store: Store): boolean {
  const statement = `SELECT 1 FROM datasources WHERE documents + users + memberships > 0
    UNION ALL SELECT 1 FROM datasource_groups WHERE is_deleted = 0 LIMIT 1`;
  return store.exec(statement).length > 0;
}

/** Forgets what an earlier backup brought to a now empty instance, so that none of its pages can continue. */
function forgetEarlier(store: Store): void {
  store.exec("DELETE FROM state WHERE name LIKE 'import %'");
  store.exec("DELETE FROM datasource_groups");
  store.exec("UPDATE datasources SET groups = 0");
}

function importLine(store: Store, line: ExportLine, generation: number, step: WriteStep): void {
  const put = ({ datasource }: { readonly datasource: string }, described: Described) =>
    putDescribed(store, datasource, described, generation, generationOf(store, datasource, described));
  if ("metadataGroup" in line) {
    adoptGroup(store, line.metadataGroup);
  } else if ("user" in line) {
    put(line.user, { kind: "users", user: line.user });
  } else if ("group" in line) {
    const { datasource, name, isDeleted, isLeaving } = line.group;
    put(line.group, { kind: "groups", name });
    if (!isDeleted) return;
    // The alarm removes what is left of its memberships. A group that has members was deleted while the export ran.
    markGroupLeaving(store, datasource, name, generation);
    if (!isLeaving && !hasMembers(store, datasource, name)) markGroupGone(store, datasource, name);
  } else if ("membership" in line) {
    put(line.membership, { kind: "memberships", membership: line.membership });
  } else {
    importDocument(store, line.document, generation, step);
  }
}

/** Writes a new or existing document with its values. @returns its row */
export function importDocument(store: Store, exported: ExportedDocument, generation: number, step: WriteStep): number {
  const { values, indexedAt, ...document } = exported;
  const id = putDocument(store, document, generation, indexedAt, step);
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
  describeDocument(store, id, description(store, id), step);
  return id;
}
