import { BLOCK_BITS } from "#documents-postgres/upkeep/holders.ts";

const BLOCK_WORDS = 2 ** BLOCK_BITS / 32;

/** A set of documents from the first id of a block on, with a bit for each. */
export class DocumentSet {
  #from = 0;
  #bits = new Int32Array(0);
  /**
   * The array that `#bits` is part of. It is reused, because freeing arrays of this size takes a full garbage collection.
   */
  #memory = this.#bits;

  /** Empties the set and makes room for this many blocks. */
  reset(fromBlock: number, blocks: number): void {
    const size = blocks * BLOCK_WORDS;
    if (this.#memory.length < size) this.#memory = new Int32Array(size);
    this.#from = fromBlock << BLOCK_BITS;
    this.#bits = this.#memory.subarray(0, size).fill(0);
  }

  /** Returns a copy, which later changes of this set don't affect. */
  copy(): DocumentSet {
    const copied = new DocumentSet();
    copied.#from = this.#from;
    // A set without documents needs no memory.
    copied.#bits = this.size === 0 ? new Int32Array(0) : this.#bits.slice();
    return copied;
  }

  has(id: number): boolean {
    const at = id - this.#from;
    return at >= 0 && ((this.#bits[at >> 5] ?? 0) & (1 << (at & 31))) !== 0;
  }

  add(id: number): void {
    const at = id - this.#from;
    if (at >= 0) this.#bits[at >> 5] = (this.#bits[at >> 5] ?? 0) | (1 << (at & 31));
  }

  /** Adds a block's documents. @param bits 32 documents each, in big-endian order */
  addBlock(block: number, bits: DataView): void {
    const first = ((block << BLOCK_BITS) - this.#from) >> 5;
    if (first < 0) return;
    for (let at = 0; at < BLOCK_WORDS; at++) {
      this.#bits[first + at] = (this.#bits[first + at] ?? 0) | bits.getInt32(at * 4);
    }
  }

  /** Keeps only the documents that are also in the other set, which must have the same blocks. */
  keep(other: DocumentSet): void {
    for (let at = 0; at < this.#bits.length; at++) this.#bits[at] = (this.#bits[at] ?? 0) & (other.#bits[at] ?? 0);
  }

  get size(): number {
    let size = 0;
    for (let at = 0; at < this.#bits.length; at++) {
      const bits = this.#bits[at] ?? 0;
      if (bits !== 0) size += bitsIn(bits);
    }
    return size;
  }

  /** Returns the ids, newest first. */
  ids(): number[] {
    const ids: number[] = [];
    for (let at = this.#bits.length - 1; at >= 0; at--) {
      let bits = this.#bits[at] ?? 0;
      while (bits !== 0) {
        const bit = 31 - Math.clz32(bits);
        ids.push(this.#from + at * 32 + bit);
        bits &= ~(1 << bit);
      }
    }
    return ids;
  }
}

/** Returns how many bits of a number are set, counted in pairs, fours and bytes at once. */
function bitsIn(number: number): number {
  const pairs = number - ((number >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
