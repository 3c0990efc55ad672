export type StoredValue = string | number | null | ArrayBuffer | Uint8Array;

/**
 * One instance's SQLite, and all that this room knows of it: `ctx.storage.sql` in the object, `node:sqlite` in tests and benchmarks.
 * Statements are synchronous; the caller opens the transaction.
 */
export interface Store {
  /** Runs one statement to its end. Parameters are numbered (`?1`); a blob is read as an ArrayBuffer or a Uint8Array. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a row is what its statement selects
  exec<Row = never>(statement: string, ...values: readonly StoredValue[]): readonly Row[];
}

/** A blob as bytes that begin at the start of their buffer, whichever of both the store gives. */
export function bytesOf(blob: ArrayBuffer | Uint8Array): Uint8Array<ArrayBuffer> {
  if (blob instanceof ArrayBuffer) return new Uint8Array(blob);
  return blob.byteOffset === 0 && blob.buffer instanceof ArrayBuffer
    ? (blob as Uint8Array<ArrayBuffer>)
    : new Uint8Array(blob);
}

/**
 * The id that the last INSERT gave. What is written for each document of a step has no RETURNING and no second row: such a statement
 * may have to be undone by itself, and before one FTS5 writes out what it has gathered, which costs as much as all else that is
 * written of a document.
 */
export function lastRowOf(store: Store): number {
  return store.exec<{ id: number }>("SELECT last_insert_rowid() AS id")[0]?.id ?? 0;
}

/**
 * A parameter as a LIMIT. The planner reads a bare one when it prepares, so each binding of it would prepare the statement again:
 * three quarters of what a short look-up costs.
 */
export function unpeeked(parameter: `?${number}`): string {
  return `${parameter} + 0`;
}
