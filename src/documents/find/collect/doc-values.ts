import { BLOCK_DOCUMENTS, DOC_VALUE } from "#documents/index-rules.ts";
import { bytesOf, stateOf, type Store } from "#documents/store.ts";
import { grown } from "./row-bits.ts";

/** The doc values of all documents in memory, as of the last refresh. */
export class DocValues {
  readonly #store: Store;
  #numbers = new Uint32Array(0);
  #version = 0;
  /** For each block, the version in which it was last written. */
  #versions: number[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads the blocks written since. Call it outside of transactions, so that it sees no write that is then undone. */
  refresh(): void {
    const version = stateOf(this.#store, "doc values");
    if (version === this.#version) return;
    const changed = this.#store.exec<{ block: number; version: number; numbers: ArrayBuffer | Uint8Array }>(
      "SELECT block, version, numbers FROM doc_values WHERE version > ?1 ORDER BY block",
      this.#version,
    );
    const size = BLOCK_DOCUMENTS * DOC_VALUE.size;
    this.#numbers = grown(this.#numbers, ((changed.at(-1)?.block ?? 0) + 1) * size);
    for (const { block, version: written, numbers } of changed) {
      this.#numbers.set(new Uint32Array(bytesOf(numbers).buffer, 0, size), block * size);
      this.#versions[block] = written;
    }
    this.#version = version;
  }

  /** Goes up with every write. */
  get version(): number {
    return this.#version;
  }

  /** Returns the blocks that were written after a version, in order. */
  blocksSince(version: number): number[] {
    const blocks: number[] = [];
    for (let block = 0; block < this.#versions.length; block++) {
      if ((this.#versions[block] ?? 0) > version) blocks.push(block);
    }
    return blocks;
  }

  /** Four numbers per document, from row 0 on. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  lengthOf(row: number): number {
    return this.#numbers[row * DOC_VALUE.size + DOC_VALUE.length] ?? 0;
  }

  dayOf(row: number): number {
    return this.#numbers[row * DOC_VALUE.size + DOC_VALUE.day] ?? 0;
  }
}
