import { BLOCK_CELLS, CELL } from "#documents/index-rules.ts";
import { stateOf } from "#documents/state.ts";
import { bytesOf, type Store } from "#documents/store.ts";

/** The cells of all documents in memory, as they were when they were last brought up to date. */
export class Cells {
  readonly #store: Store;
  #numbers = new Uint32Array(0);
  #version = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads the blocks that were written since: outside of any transaction, so that none is seen which is then undone. */
  refresh(): void {
    const version = stateOf(this.#store, "cells");
    if (version === this.#version) return;
    const changed = this.#store.exec<{ block: number; cells: ArrayBuffer | Uint8Array }>(
      "SELECT block, cells FROM cells WHERE version > ?1 ORDER BY block",
      this.#version,
    );
    const blockNumbers = BLOCK_CELLS * CELL.size;
    const needed = ((changed.at(-1)?.block ?? 0) + 1) * blockNumbers;
    if (needed > this.#numbers.length) {
      const grown = new Uint32Array(Math.max(needed, Math.floor(this.#numbers.length * 1.5)));
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    for (const { block, cells } of changed) {
      this.#numbers.set(new Uint32Array(bytesOf(cells).buffer, 0, blockNumbers), block * blockNumbers);
    }
    this.#version = version;
  }

  /** Moves with every write. */
  get version(): number {
    return this.#version;
  }

  /** Four numbers a document, from row 0. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  lengthOf(row: number): number {
    return this.#numbers[row * CELL.size + CELL.length] ?? 0;
  }

  dayOf(row: number): number {
    return this.#numbers[row * CELL.size + CELL.day] ?? 0;
  }
}
