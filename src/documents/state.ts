import type { StateName } from "./index-rules.ts";
import type { Store } from "./store.ts";

/** Returns a number that the instance stores; 0 if it was never set. */
export function stateOf(store: Store, name: StateName): number {
  return store.exec<{ value: number }>("SELECT value FROM state WHERE name = ?1", name)[0]?.value ?? 0;
}

/** Adds to a stored number, without RETURNING: see `store.ts`. @returns the new number */
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

/** Adds to the counts of documents and of the words in them. */
export function moveTotals(store: Store, documents: number, length: number): void {
  if (documents !== 0) moveState(store, "documents", documents);
  moveState(store, "length", length);
}

/** Returns the average number of words in a document; `null`: there are no documents. */
export function averageLengthOf(store: Store): number | null {
  const [totals] = store.exec<{ average: number | null }>(
    `SELECT 1.0 * max(value) FILTER (WHERE name = 'length') / max(value) FILTER (WHERE name = 'documents') AS average
     FROM state WHERE name IN ('documents', 'length')`,
  );
  return totals?.average ?? null;
}
