import { INDEX_VERSION } from "./index-rules.ts";
import { SCHEMA } from "./schema.sql.ts";
import { setState } from "./state.ts";
import type { Store } from "./store.ts";
import { makeWordKey } from "./word-hash.ts";

/** Steps from one version of an object's tables to the next. Each runs in the caller's transaction. */
const STEPS: readonly ((store: Store) => void)[] = [
  (store) => {
    for (const statement of SCHEMA) store.exec(statement);
    makeWordKey(store);
    setState(store, "index version", INDEX_VERSION);
  },
  (store) => {
    addColumn(store, "documents", "content_hash TEXT");
  },
  (store) => {
    addColumn(store, "datasources", "removed INTEGER NOT NULL DEFAULT 0");
    const kept = "SELECT count(*) FROM removed_documents r WHERE r.datasource = datasources.name";
    store.exec(`UPDATE datasources SET removed = (${kept})`);
  },
  (store) => {
    for (const table of ["documents", "removed_documents"]) addColumn(store, table, "anchors TEXT");
  },
  (store) => {
    for (const column of ["sketch BLOB", "language TEXT"]) addColumn(store, "term_vectors", column);
  },
];

/** Adds a column that the first step doesn't already have. */
function addColumn(store: Store, table: string, column: string): void {
  const [name = ""] = column.split(" ");
  const has = store.exec("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2", table, name).length > 0;
  if (!has) store.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
}

/**
 * Brings an object's tables to the newest version when the object wakes up. A step changes only few rows. Longer work is left to
 * the alarm, and the step only notes that it is due.
 */
export function migrate(store: Store): void {
  const hasState = store.exec("SELECT 1 FROM sqlite_master WHERE name = 'state'").length > 0;
  const version = hasState ? versionOf(store) : 0;
  for (const [at, step] of STEPS.entries()) if (at >= version) step(store);
  if (version < STEPS.length) {
    store.exec(
      "INSERT INTO state (name, value) VALUES ('schema', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      STEPS.length,
    );
  }
}

function versionOf(store: Store): number {
  return store.exec<{ value: number }>("SELECT value FROM state WHERE name = 'schema'")[0]?.value ?? 0;
}
