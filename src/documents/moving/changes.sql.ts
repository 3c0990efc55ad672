import type { Store } from "#documents/store.ts";
import { MOVED_TABLES, ROW_KINDS } from "./rows.sql.ts";
import type { MovedKey, MovedLine } from "./transfer.ts";

/** Changes are counted up to this number. */
const COUNTED_MAX = 10_000;

/** A watched table. `name` returns SQL for a row's name, from its `new` or `old` version: kind and key, as JSON. */
interface Watched {
  readonly table: string;
  readonly name: (row: string) => string;
  /** Which of its rows, in SQL; all by default. */
  readonly only?: string | undefined;
}

const named = (kind: string, columns: readonly string[]) => (row: string) =>
  `json_array(${[`'${kind}'`, ...columns.map((column) => `${row}.${column}`)].join(", ")})`;

const ofDocument = (row: string) =>
  `(SELECT json_array('document', datasource, external_id) FROM documents WHERE id = ${row}.document_id)`;

const WATCHED: readonly Watched[] = [
  { table: "documents", name: named("document", ["datasource", "external_id"]) },
  { table: "removed_documents", name: named("removed", ["datasource", "external_id"]) },
  // The values of a removed document are deleted after it, when its own change is already noted.
  { table: "document_metadata", name: ofDocument },
  // A group's keys never change without its own row.
  { table: "metadata_groups", name: named("metadataGroup", ["id"]) },
  ...ROW_KINDS.map((kind) => {
    const { table, key, only } = MOVED_TABLES[kind];
    return { table, name: named(kind, key), only };
  }),
];

/** Changes of a row, and which of its two versions names it. If the key itself changes, both do. */
const EVENTS = [
  ["insert", "new"],
  ["update", "new"],
  ["update", "old"],
  ["delete", "old"],
] as const;

/**
 * Starts noting the keys of everything that changes. It uses triggers, so that no statement can forget to. A key that changes again
 * moves to the end.
 */
export function noteChanges(store: Store): void {
  store.exec("CREATE TABLE moved_changes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE)");
  for (const { trigger, event, table, name, condition } of triggers()) {
    // These are two statements, because an OR IGNORE of the statement that fires a trigger would override the trigger's OR REPLACE.
    store.exec(
      `CREATE TRIGGER ${trigger} AFTER ${event} ON ${table} WHEN ${condition} BEGIN
         DELETE FROM moved_changes WHERE name = ${name};
         INSERT INTO moved_changes (name) SELECT ${name} WHERE ${name} IS NOT NULL;
       END`,
    );
  }
}

/** Stops noting changes, and forgets those that were noted. */
export function forgetChanges(store: Store): void {
  for (const { trigger } of triggers()) store.exec(`DROP TRIGGER IF EXISTS ${trigger}`);
  store.exec("DROP TABLE IF EXISTS moved_changes");
}

function triggers() {
  return WATCHED.flatMap(({ table, name, only }) =>
    EVENTS.map(([event, row]) => ({
      trigger: `moved_${table}_${event}_${row}`,
      event,
      table,
      name: name(row),
      condition: only === undefined ? "true" : `(${only.replaceAll("name", `${row}.name`)})`,
    })),
  );
}

interface Change {
  readonly id: number;
  readonly kind: MovedLine["kind"];
  readonly key: MovedKey;
}

/** Returns the changes after one, in order. Those up to it were taken and are deleted. */
export function changesAfter(store: Store, id: number, max: number): Change[] {
  store.exec("DELETE FROM moved_changes WHERE id <= ?1", id);
  return store
    .exec<{ id: number; name: string }>(
      "SELECT id, name FROM moved_changes WHERE id > ?1 ORDER BY id LIMIT ?2",
      id,
      max,
    )
    .map((row) => {
      const [kind, ...key] = JSON.parse(row.name) as [Change["kind"], ...MovedKey];
      return { id: row.id, kind, key };
    });
}

/** Returns how many changes there are after one, up to {@link COUNTED_MAX}. */
export function countChangesAfter(store: Store, id: number): number {
  const statement = `SELECT count(*) AS count FROM (SELECT 1 FROM moved_changes WHERE id > ?1 LIMIT ${COUNTED_MAX})`;
  return store.exec<{ count: number }>(statement, id)[0]?.count ?? 0;
}
