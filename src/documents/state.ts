import type { StateName } from "./index-rules.ts";
import type { Store } from "./store.ts";

/** Returns a number that the instance stores; 0 if it was never set. */
export function stateOf(store: Store, name: StateName): number {
  return store.exec<{ value: number }>("SELECT value FROM state WHERE name = ?1", name)[0]?.value ?? 0;
}

/** Adds to a stored number. */
export function moveState(store: Store, name: StateName, by: number): void {
  store.exec(
    "INSERT INTO state (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
    name,
    by,
  );
}

export function setState(store: Store, name: StateName, value: number): void {
  store.exec(
    "INSERT INTO state (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    name,
    value,
  );
}
