import { bytesOf } from "#documents/store.ts";
import { grown } from "./row-bits.ts";

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
  const all = grown(known, ((changed.at(-1)?.block ?? 0) + 1) * size);
  for (const { block, numbers } of changed) all.set(new Uint32Array(bytesOf(numbers).buffer, 0, size), block * size);
  return all;
}
