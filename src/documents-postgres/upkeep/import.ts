import type { Described } from "#documents/rights/described.ts";
import {
  type ExportedDocument,
  type ExportLine,
  type ImportPage,
  isRestoreGivenUp,
} from "#documents/upkeep/keeping.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { adoptGroup } from "#documents-postgres/metadata/groups.ts";
import { descriptionOf } from "#documents-postgres/metadata/values.ts";
import { generationOf, putDescribed } from "#documents-postgres/rights/described.ts";
import { describeDocument, putDocument } from "#documents-postgres/write/documents.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";

/**
 * Writes lines of a backup, and stores how far it got. A page without lines only asks. If the instance is empty again, a backup
 * can start over.
 *
 * @returns how many of the backup's lines are written; `null` if the instance has something that this backup did not bring
 */
export async function importPage(
  writing: Writing,
  { backup, from, lines, isLast }: ImportPage,
  now: number,
): Promise<number | null> {
  const { rows } = writing;
  const isEmpty = !(await holdsAnything(rows));
  const taken = isEmpty && from === 0 ? 0 : await takenOf(rows, backup);
  if (taken === 0 && !isEmpty) return null;
  if (from !== taken || lines.length === 0) return taken;
  if (taken === 0) await forgetEarlier(rows);
  writing.forgetRights();
  for (const line of lines) await importLine(writing, line);
  // While `importing_at` is set, the clean-up keeps the rows of deleted groups: they come before the documents that name them.
  await rows.all(
    "UPDATE instances SET import_backup = $2, import_lines = $3, importing_at = $4 WHERE instance_id = $1",
    backup,
    taken + lines.length,
    isLast ? 0 : now,
  );
  return taken + lines.length;
}

async function takenOf(rows: Rows, backup: string): Promise<number> {
  const statement = "SELECT import_lines AS lines FROM instances WHERE instance_id = $1 AND import_backup = $2";
  return (await rows.all<{ lines: number }>(statement, backup))[0]?.lines ?? 0;
}

/**
 * Called before a pipeline writes. Gives up a restore that has stopped, so that none of its pages overrules the pipeline.
 *
 * @throws while a restore is under way
 */
export async function requireNoRestore({ rows, importingAt }: Writing, now: number): Promise<void> {
  if (!isRestoreGivenUp(importingAt, now)) return;
  await rows.all(
    "UPDATE instances SET import_backup = NULL, import_lines = 0, importing_at = 0 WHERE instance_id = $1",
  );
}

/** Checks whether an instance has any data. An empty one may still have the rows of deleted groups. */
async function holdsAnything(rows: Rows): Promise<boolean> {
  const found = await rows.all(
    `(SELECT 1 FROM datasources WHERE instance_id = $1 AND documents + users + memberships > 0 LIMIT 1)
     UNION ALL (SELECT 1 FROM datasource_groups WHERE instance_id = $1 AND state = 'described' LIMIT 1)`,
  );
  return found.length > 0;
}

/**
 * Removes what an earlier backup left in an instance that is empty now, so that none of that backup's pages continues it.
 */
async function forgetEarlier(rows: Rows): Promise<void> {
  await rows.all("UPDATE instances SET import_backup = NULL, import_lines = 0 WHERE instance_id = $1");
  await rows.all("DELETE FROM datasource_groups WHERE instance_id = $1");
  await rows.all("UPDATE datasources SET groups = 0 WHERE instance_id = $1");
}

async function importLine(writing: Writing, line: ExportLine): Promise<void> {
  const { rows, generation } = writing;
  const put = async ({ datasource }: { readonly datasource: string }, described: Described) =>
    putDescribed(writing, datasource, described, generation, await generationOf(rows, datasource, described));
  if ("metadataGroup" in line) {
    await adoptGroup(rows, line.metadataGroup);
  } else if ("user" in line) {
    await put(line.user, { kind: "users", user: line.user });
  } else if ("group" in line) {
    const { datasource, name, isDeleted, isLeaving } = line.group;
    await put(line.group, { kind: "groups", name });
    if (!isDeleted) return;
    // The clean-up removes its remaining memberships. A group that has members was deleted while the export ran.
    await rows.all(
      `UPDATE datasource_groups SET generation = $4, state = CASE WHEN $5::boolean OR EXISTS (SELECT 1 FROM memberships m
         WHERE m.instance_id = $1 AND m.datasource = $2 AND m.group_name = $3) THEN 'leaving' ELSE 'deleted' END
       WHERE instance_id = $1 AND datasource = $2 AND name = $3`,
      datasource,
      name,
      generation,
      isLeaving,
    );
  } else if ("membership" in line) {
    await put(line.membership, { kind: "memberships", membership: line.membership });
  } else {
    await importDocument(writing, line.document, generation);
  }
}

/** Creates or replaces a document with its values of custom metadata. @returns its id */
export async function importDocument(
  writing: Writing,
  exported: ExportedDocument,
  generation: number,
): Promise<number> {
  const { rows } = writing;
  const { values, indexedAt, ...document } = exported;
  const id = await putDocument(writing, document, generation, indexedAt);
  await rows.all("DELETE FROM document_metadata WHERE instance_id = $1 AND document_id = $2", id);
  await rows.all(
    `INSERT INTO document_metadata (instance_id, document_id, group_id, entries, version)
     SELECT $1, $2, v.key::int, v.value, coalesce((SELECT g.version FROM metadata_groups g
       WHERE g.instance_id = $1 AND g.id = v.key::int), 0)
     FROM json_each($3::text::json) v`,
    id,
    JSON.stringify(values),
  );
  await describeDocument(writing, id, await descriptionOf(rows, id));
  return id;
}
