import { bytesOf } from "#documents/store.ts";
import { grown } from "./row-bits.ts";

/** 32-bit numbers of several documents, as one row stores them. */
export interface Block {
  readonly block: number;
  readonly numbers: ArrayBuffer | Uint8Array;
}

/**
 * Returns the numbers of all documents, with those of changed blocks replaced. Uses the same array as long as they fit.
 *
 * @param changed ordered by block
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
