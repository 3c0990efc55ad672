import type { StateName } from "./index-rules.ts";
import type { Store } from "./store.ts";

/** A number that the instance keeps; 0 before it was first moved. */
export function stateOf(store: Store, name: StateName): number {
  return store.exec<{ value: number }>("SELECT value FROM state WHERE name = ?1", name)[0]?.value ?? 0;
}

/** Without RETURNING: see `store.ts`. @returns the number after it was moved */
export function moveState(store: Store, name: StateName, by: number): number {
  store.exec(
    "INSERT INTO state (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
    name,
    by,
  );
  return stateOf(store, name);
}

export function setState(store: Store, name: StateName, value: number): void {
  store.exec(
    "INSERT INTO state (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    name,
    value,
  );
}

/** Counts documents and their words. */
export function moveTotals(store: Store, documents: number, length: number): void {
  if (documents !== 0) moveState(store, "documents", documents);
  moveState(store, "length", length);
}

/** Words in a document; `null` where there is none. */
export function averageLengthOf(store: Store): number | null {
  const [totals] = store.exec<{ average: number | null }>(
    `SELECT 1.0 * max(value) FILTER (WHERE name = 'length') / max(value) FILTER (WHERE name = 'documents') AS average
     FROM state WHERE name IN ('documents', 'length')`,
  );
  return totals?.average ?? null;
}
