import { bytesOf } from "#documents/store.ts";

/** Numbers of 32 bits of several documents, as one row stores them. */
export interface Block {
  readonly block: number;
  readonly numbers: ArrayBuffer | Uint8Array;
}

/**
 * Numbers of all documents with those of changed blocks, in the same array while these fit.
 *
 * @param changed in order
 * @param size how many numbers a block has
 */
export function withBlocks(
  known: Uint32Array<ArrayBuffer>,
  changed: readonly Block[],
  size: number,
): Uint32Array<ArrayBuffer> {
  let all = known;
  const needed = ((changed.at(-1)?.block ?? 0) + 1) * size;
  if (needed > all.length) {
    all = new Uint32Array(Math.max(needed, Math.floor(known.length * 1.5)));
    all.set(known);
  }
  for (const { block, numbers } of changed) all.set(new Uint32Array(bytesOf(numbers).buffer, 0, size), block * size);
  return all;
}
