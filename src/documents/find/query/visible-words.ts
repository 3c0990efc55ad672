import type { DocValues } from "#documents/find/collect/doc-values.ts";
import type { Commonest } from "./chosen-words.ts";
import type { TermVectors } from "#documents/find/collect/term-vectors.ts";
import { eachRowOfPart, grown, rowsIn } from "#documents/find/collect/row-bits.ts";
import { WordTable } from "./word-table.ts";

/** With this many words, which take four megabytes, everything is read again. */
const WORDS_MAX = 260_000;

/** If one in this many of the documents that were read can't be seen any more, all are read again. */
const LOST_SHARE = 8;

/**
 * The words of the newest documents that somebody may see. Which documents these are depends only on what the person may see and when
 * they searched, so the choice of words reveals nothing about other people's documents.
 */
export class VisibleWords {
  readonly #docValues: DocValues;
  readonly #table = new WordTable();
  /** The documents that were read, one bit each, and the newest of them. */
  #rows = new Uint32Array(0);
  #newest = 0;

  constructor(docValues: DocValues) {
    this.#docValues = docValues;
  }

  /** Checks whether everything has to be read again. @param bits what the person may see */
  isStale(bits: Uint32Array): boolean {
    const lost = (read: number, part: number) => rowsIn(read & ~(bits[part] ?? 0)) * LOST_SHARE - rowsIn(read);
    return this.#table.size > WORDS_MAX || this.#rows.reduce((sum, read, part) => sum + lost(read, part), 0) > 0;
  }

  /**
   * Returns a function that chooses the words that most of these documents contain, the first ones if equal.
   *
   * @param bits what the person may see
   * @param max how many words of documents are read
   */
  commonest(termVectors: TermVectors, bits: Uint32Array, max: number): Commonest {
    let left = max;
    return (words, wanted) => {
      left -= this.#learn(termVectors, bits, left);
      return this.#table.commonestOf(words, termVectors.hash, wanted);
    };
  }

  /**
   * Reads documents that are newer than those that were read, the newest first.
   *
   * @param max stops at the document that reaches this many words
   * @returns how many words the documents have
   */
  #learn(termVectors: TermVectors, bits: Uint32Array, max: number): number {
    const above = this.#newest;
    const rows: number[] = [];
    let words = 0;
    for (let part = bits.length - 1; part >= above >>> 5; part--) {
      if (words >= max) break;
      eachRowOfPart(bits[part] ?? 0, part, (row) => {
        if (row <= above || words >= max) return;
        words += this.#docValues.lengthOf(row);
        rows.push(row);
      });
    }
    this.#rows = grown(this.#rows, bits.length);
    for (const row of rows) this.#rows[row >>> 5] = (this.#rows[row >>> 5] ?? 0) | (1 << (row & 31));
    this.#newest = Math.max(above, rows[0] ?? 0);
    termVectors.each(rows, Number.POSITIVE_INFINITY, (_, hashes) => this.#table.add(hashes));
    return words;
  }
}
