import type { Rows } from "#documents-postgres/database.ts";
import { COUNTED_MAX } from "#documents/moving/changes.sql.ts";
import type { MovedKey, MovedLine } from "#documents/moving/transfer.ts";

/** A table whose changes are recorded while a move copies an instance. */
interface Watched {
  readonly table: string;
  /** Selects the kind and key of the line that a row `r` belongs to, as JSON. */
  readonly name: string;
  /** The condition for an update to be recorded; without it, all are. */
  readonly changed?: string;
}

const named = (kind: string, ...columns: readonly string[]) =>
  `json_build_array(${[`'${kind}'`, ...columns.map((column) => `r.${column}`)].join(", ")})`;

const WATCHED: readonly Watched[] = [
  { table: "documents", name: named("document", "datasource", "external_id") },
  // If the document was removed as well, this selects nothing: its own row was recorded.
  {
    table: "document_metadata",
    name: `(SELECT json_build_array('document', d.datasource, d.external_id) FROM documents d
      WHERE d.instance_id = r.instance_id AND d.id = r.document_id)`,
  },
  // A group's keys never change without its own row.
  { table: "metadata_groups", name: named("metadataGroup", "id") },
  { table: "datasource_users", name: named("user", "datasource", "user_id") },
  { table: "datasource_groups", name: named("group", "datasource", "name") },
  { table: "memberships", name: named("membership", "member_kind", "member", "datasource", "group_name") },
  { table: "leaving_users", name: named("leavingUser", "datasource", "member") },
  { table: "bulk_uploads", name: named("upload", "datasource", "kind", "group_name") },
  { table: "upload_pages", name: named("page", "generation", "hash") },
  { table: "single_changes", name: named("singleChange", "datasource", "overruled", "name") },
  { table: "removed_metadata_groups", name: "json_build_array('mark', 'removed metadata group ' || r.name)" },
  {
    table: "instances",
    name: "json_build_array('mark', 'of the instance')",
    changed:
      "(old.generation, old.import_backup, old.import_lines, old.importing_at) IS DISTINCT FROM (new.generation, new.import_backup, new.import_lines, new.importing_at)",
  },
];

/**
 * Triggers that record the keys of rows that change while a move copies an instance, so that no statement can forget to. They act
 * only if the writing transaction has set `gatehouse.giving`; otherwise they only read this setting.
 */
export const CHANGES_SCHEMA = `CREATE TABLE moved_changes (
    instance_id bigint NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL, PRIMARY KEY (instance_id, id));
  ${WATCHED.map(
    ({
      table,
      name,
      changed = "true",
    }) => `CREATE FUNCTION note_change_of_${table}() RETURNS trigger LANGUAGE plpgsql AS $note$
    DECLARE r record; name json;
    BEGIN
      IF TG_OP = 'DELETE' THEN r := old; ELSE r := new; END IF;
      ${changed === "true" ? "" : `IF TG_OP = 'UPDATE' AND NOT (${changed}) THEN RETURN NULL; END IF;`}
      name := ${name};
      IF name IS NOT NULL THEN INSERT INTO moved_changes (instance_id, name) VALUES (r.instance_id, name::text); END IF;
      RETURN NULL;
    END $note$;
  CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW
    WHEN (current_setting('gatehouse.giving', true) = 'on') EXECUTE FUNCTION note_change_of_${table}();`,
  ).join("\n")}`;

export async function forgetChanges(rows: Rows): Promise<void> {
  await rows.all("DELETE FROM moved_changes WHERE instance_id = $1");
}

interface Change {
  readonly id: number;
  readonly kind: MovedLine["kind"];
  readonly key: MovedKey;
}

/** Returns the changes after one, in the order of their transactions: only one at a time writes to an instance. */
export async function changesAfter(rows: Rows, id: number, max: number): Promise<Change[]> {
  const found = await rows.all<{ id: number; name: string }>(
    "SELECT id, name FROM moved_changes WHERE instance_id = $1 AND id > $2 ORDER BY id LIMIT $3",
    id,
    max,
  );
  return found.map((row) => {
    const [kind, ...key] = JSON.parse(row.name) as [Change["kind"], ...MovedKey];
    return { id: row.id, kind, key };
  });
}

/** Counts the changes after one, up to `COUNTED_MAX`. */
export async function countChangesAfter(rows: Rows, id: number): Promise<number> {
  const [row] = await rows.all<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT 1 FROM moved_changes WHERE instance_id = $1 AND id > $2 LIMIT ${COUNTED_MAX}) c`,
    id,
  );
  return row?.count ?? 0;
}
