import type { StateName } from "./index-rules.ts";
import type { Store } from "./store.ts";

/** A number that the instance keeps; 0 before it was first moved. */
export function stateOf(store: Store, name: StateName): number {
  return store.exec<{ value: number }>("SELECT value FROM state WHERE name = ?1", name)[0]?.value ?? 0;
}

/** @returns the number after it was moved */
export function moveState(store: Store, name: StateName, by: number): number {
  const [row] = store.exec<{ value: number }>(
    `INSERT INTO state (name, value) VALUES (?1, ?2)
     ON CONFLICT (name) DO UPDATE SET value = value + excluded.value RETURNING value`,
    name,
    by,
  );
  return row?.value ?? 0;
}
