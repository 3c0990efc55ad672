import type { StateName } from "./index-rules.ts";

export type StoredValue = string | number | null | ArrayBuffer | Uint8Array;

/**
 * One instance's SQLite database, which is all that this room depends on: `ctx.storage.sql` in the object, `node:sqlite` in tests
 * and benchmarks. Statements are synchronous, and the caller opens the transaction.
 */
export interface Store {
  /** Runs one statement to its end. Parameters are numbered (`?1`); a blob is returned as either of the two types. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a row is what its statement selects
  exec<Row = never>(statement: string, ...values: readonly StoredValue[]): readonly Row[];
}

/** Returns a blob as bytes that begin at the start of their buffer, for both types that the store may return. */
export function bytesOf(blob: ArrayBuffer | Uint8Array): Uint8Array<ArrayBuffer> {
  if (blob instanceof ArrayBuffer) return new Uint8Array(blob);
  return blob.byteOffset === 0 && blob.buffer instanceof ArrayBuffer
    ? (blob as Uint8Array<ArrayBuffer>)
    : new Uint8Array(blob);
}

/**
 * Returns the id of the last INSERT. Statements that run for each document of a step don't use RETURNING and write only one row.
 * Any other statement may have to be undone by itself, and before such a statement, FTS5 writes out what it has gathered, which
 * costs as much as everything else that is written for a document.
 */
export function lastRowOf(store: Store): number {
  return store.exec<{ id: number }>("SELECT last_insert_rowid() AS id")[0]?.id ?? 0;
}

/**
 * Returns a parameter for use as a LIMIT. The planner reads the value of a bare parameter when it prepares the statement, so each
 * new value would prepare it again, which is three quarters of the cost of a short look-up.
 */
export function unpeeked(parameter: `?${number}`): string {
  return `${parameter} + 0`;
}

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
