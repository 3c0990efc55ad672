import { versionFault } from "#platform/schema-version.ts";
import { INDEX_VERSION } from "./index-rules.ts";
import { SCHEMA } from "./schema.sql.ts";
import { setState, stateOf, type Store } from "./store.ts";
import { makeWordKey } from "./word-hash.ts";

/** A step from one version of an object's tables to the next. It never changes once it was released. */
export interface Step {
  /** The oldest version of code that can serve the tables afterwards. */
  readonly oldestReader: number;
  /** Changes the tables and few rows, when the object wakes up. */
  readonly change: (store: Store) => void;
  /**
   * Does a bounded part of the work on many rows, while the object serves with what is done so far. It starts over if older code has
   * served the tables in between.
   *
   * @param after where the last part ended; 0 at first
   * @returns where this part ended; `null` if nothing is left
   */
  readonly rest?: (store: Store, after: number) => number | null;
}

const STEPS: readonly Step[] = [
  {
    oldestReader: 1,
    change(store) {
      for (const statement of SCHEMA) store.exec(statement);
      makeWordKey(store);
      setState(store, "index version", INDEX_VERSION);
    },
  },
];

/**
 * Brings an object's tables to the newest version when the object wakes up, in the caller's transaction.
 *
 * @returns why this code can't serve the tables, which are then unchanged; `null` if it can
 */
export function migrate(store: Store, steps: readonly Step[] = STEPS): string | null {
  const isNew = store.exec("SELECT 1 FROM sqlite_master WHERE name = 'state'").length === 0;
  const version = isNew ? 0 : stateOf(store, "schema");
  const reader = isNew ? 1 : stateOf(store, "oldest reader");
  // Tables from before version 1 have a version, but no oldest reader. No step leads from them to any other.
  if (reader === 0) return versionFault({ version: 0, oldestReader: 0 }, steps.length);
  if (version > steps.length) {
    const fault = versionFault({ version, oldestReader: reader }, steps.length);
    if (fault !== null) return fault;
  }
  for (const { change } of steps.slice(version)) change(store);
  if (version < steps.length) {
    setState(store, "schema", steps.length);
    setState(store, "oldest reader", Math.max(...steps.map((step) => step.oldestReader)));
  }
  const served = isNew ? steps.length : stateOf(store, "served by");
  for (const [index, { rest }] of steps.entries()) if (rest && index >= served) setState(store, `rest of ${index}`, 0);
  if (isNew || served !== steps.length) setState(store, "served by", steps.length);
  return null;
}

/** Whether the alarm has something to do after an upgrade: the rest of a step, or documents to index again. */
export function isBehind(store: Store): boolean {
  const isLeft = store.exec("SELECT 1 FROM state WHERE name GLOB 'rest of *'").length > 0;
  return isLeft || (stateOf(store, "index version") !== INDEX_VERSION && stateOf(store, "documents") > 0);
}

/** Continues what steps have left to do. @returns whether nothing is left */
export function migrateRest(store: Store, steps: readonly Step[] = STEPS): boolean {
  for (const [index, { rest }] of steps.entries()) {
    if (!rest) continue;
    const name = `rest of ${index}` as const;
    const [left] = store.exec<{ value: number }>("SELECT value FROM state WHERE name = ?1", name);
    if (!left) continue;
    const after = rest(store, left.value);
    if (after === null) store.exec("DELETE FROM state WHERE name = ?1", name);
    else setState(store, name, after);
    return false;
  }
  return true;
}
