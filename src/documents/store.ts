export type StoredValue = string | number | null | ArrayBuffer | Uint8Array;

/**
 * One instance's SQLite, and all that this room knows of it: `ctx.storage.sql` in the object, `node:sqlite` in tests and benchmarks.
 * Statements are synchronous; whoever calls opens the transaction.
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
