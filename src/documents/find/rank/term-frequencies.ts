import { COUNT_OF_BYTE } from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";
import {
  AS_WRITTEN,
  IN_ANY_FORM,
  isSeveral,
  partsOf,
  type SlotWords,
  wordsOf,
  worthOf,
} from "#documents/find/query/slot-words.ts";

/** The ways in which words are counted. */
const WAYS = 2;

/** How often documents contain words, in each way. Documents with an unwanted word are left out. */
export class TermFrequencies {
  readonly slots: number;
  readonly rows: number[] = [];
  /** How many documents were read, those that are left out included. */
  read = 0;
  #counts = new Float32Array(64);

  constructor(slots: number) {
    this.slots = slots;
  }

  /** Returns the weighted occurrences of a slot's word in the document at a position of `rows`. */
  count(at: number, slot: number, way: number): number {
    return this.#counts[(at * this.slots + slot) * WAYS + way] ?? 0;
  }

  /** Returns how many of the documents contain a word. */
  documentFrequency(slot: number, way: number): number {
    let documentFrequency = 0;
    for (let at = 0; at < this.rows.length; at++) if (this.count(at, slot, way) > 0) documentFrequency++;
    return documentFrequency;
  }

  add(row: number, counts: Float32Array): void {
    const at = this.rows.length * counts.length;
    if (at + counts.length > this.#counts.length) {
      const grown = new Float32Array(Math.max(this.#counts.length * 2, at + counts.length));
      grown.set(this.#counts);
      this.#counts = grown;
    }
    this.#counts.set(counts, at);
    this.rows.push(row);
  }
}

/** Where a count is added, as a position in a document's counts, and how much it counts there. */
interface Target {
  readonly place: number;
  readonly worth: number;
}

/** What the count of a hash is added to; which words in a row it is part of; and whether it leaves the document out. */
interface Targets {
  readonly counts: Target[];
  readonly parts: number[];
  isUnwanted: boolean;
}

/** Words in a row that stand for a typed word, and the documents that have them. */
export type RowsInARow = ReadonlyMap<string, ReadonlySet<number>>;

/** How often a document has words in a row is at most how often it has each of them. `rows`: the documents that have them so. */
interface CountedRow {
  readonly parts: number[];
  readonly rows: ReadonlySet<number>;
  readonly counts: Target[];
}

/** Called with the hashes of a document's words, in order, and what is known about each. */
export type SeeTermVector = (row: number, hashes: Uint32Array, known: Uint8Array) => void;

/** Counts words in the documents whose term vectors `each` calls back with. @param unwanted words that leave a document out */
export function countTerms(
  words: readonly SlotWords[],
  unwanted: readonly string[],
  inARow: RowsInARow,
  hashOf: WordHash,
  each: (see: SeeTermVector) => void,
): TermFrequencies {
  const { targets, rowsOfWords } = targetsOf(words, unwanted, inARow, hashOf);
  // Nearly all words of a document are none of these, which this shows at once.
  const mayCount = new Uint8Array(FILTER_MASK + 1);
  for (const hash of targets.keys()) mayCount[hash & FILTER_MASK] = 1;
  const frequencies = new TermFrequencies(words.length);
  const counts = new Float32Array(words.length * WAYS);
  const parts = new Float32Array(rowsOfWords.reduce((sum, one) => sum + one.parts.length, 0));
  const add = (count: number, { place, worth }: Target) => {
    counts[place] = (counts[place] ?? 0) + count * worth;
  };
  each((row, hashes, packed) => {
    frequencies.read++;
    counts.fill(0);
    parts.fill(0);
    let isUnwanted = false;
    const meet = (hash: number, at: number) => {
      const target = targets.get(hash);
      if (target === undefined) return;
      if (target.isUnwanted) isUnwanted = true;
      const count = COUNT_OF_BYTE[packed[at] ?? 0] ?? 0;
      for (const one of target.counts) add(count, one);
      for (const part of target.parts) parts[part] = count;
    };
    for (let at = 0; at < hashes.length; at++) {
      const hash = hashes[at] ?? 0;
      if (mayCount[hash & FILTER_MASK] === 1) meet(hash, at);
    }
    for (const one of rowsOfWords) {
      if (!one.rows.has(row)) continue;
      const count = one.parts.reduce((least, part) => Math.min(least, parts[part] ?? 0), Number.POSITIVE_INFINITY);
      for (const target of one.counts) add(count, target);
    }
    if (!isUnwanted) frequencies.add(row, counts);
  });
  return frequencies;
}

const FILTER_MASK = 0xffff;

function targetsOf(
  words: readonly SlotWords[],
  unwanted: readonly string[],
  inARow: RowsInARow,
  hashOf: WordHash,
): { readonly targets: ReadonlyMap<number, Targets>; readonly rowsOfWords: readonly CountedRow[] } {
  const targets = new Map<number, Targets>();
  const at = (word: string) => {
    const hash = hashOf(word);
    const known = targets.get(hash);
    if (known) return known;
    const made: Targets = { counts: [], parts: [], isUnwanted: false };
    targets.set(hash, made);
    return made;
  };
  const rows = new Map<string, CountedRow>();
  let parts = 0;
  const rowAt = (phrase: string, all = partsOf(phrase)) => {
    const known = rows.get(phrase);
    if (known) return known;
    const made: CountedRow = { parts: [], rows: inARow.get(phrase) ?? new Set(), counts: [] };
    for (const word of all) {
      made.parts.push(parts);
      at(word).parts.push(parts++);
    }
    rows.set(phrase, made);
    return made;
  };
  for (const [slot, word] of words.entries()) {
    for (const way of [AS_WRITTEN, IN_ANY_FORM]) {
      for (const one of wordsOf(word, way)) {
        const isName = one === word.word && word.parts !== undefined && way === AS_WRITTEN;
        const { counts } = isName
          ? rowAt(word.parts.join(" "), [one, ...word.parts])
          : isSeveral(one)
            ? rowAt(one)
            : at(one);
        counts.push({ place: slot * WAYS + way, worth: worthOf(word, one) });
      }
    }
  }
  for (const word of unwanted) at(word).isUnwanted = true;
  return { targets, rowsOfWords: [...rows.values()] };
}
