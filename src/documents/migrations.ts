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
    const has = store.exec("SELECT 1 FROM pragma_table_info('documents') WHERE name = 'content_hash'");
    if (has.length === 0) store.exec("ALTER TABLE documents ADD COLUMN content_hash TEXT");
  },
];

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
