import { COUNT_OF_BYTE, placeOf } from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { AS_WRITTEN, COMPLETED, IN_ANY_FORM, type SlotWords } from "#documents/find/query/slot-words.ts";

/** The ways in which words are counted. */
const WAYS = 3;

/** How often documents contain words, in each way. Documents with an unwanted word are left out. */
export class TermFrequencies {
  readonly slots: number;
  readonly rows: number[] = [];
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

/** What the count of a hash is added to: slots and ways, as positions in a document's counts. */
interface Targets {
  /** Counts to which it is added. */
  readonly sums: number[];
  /** Counts that take the greatest value. */
  readonly peaks: number[];
}

const UNWANTED: Targets = { sums: [], peaks: [] };

/** Called with the hashes of a document's words, in order, and what is known about each. */
export type SeeTermVector = (row: number, hashes: Uint32Array, known: Uint8Array) => void;

/** Counts words in the documents whose term vectors `each` calls back with. @param unwanted words that leave a document out */
export function countTerms(
  words: readonly SlotWords[],
  unwanted: readonly string[],
  hashOf: WordHash,
  each: (see: SeeTermVector) => void,
): TermFrequencies {
  const targets = targetsOf(words, unwanted, hashOf);
  const wanted = Uint32Array.from(targets.keys()).sort();
  // Nearly all words of a document are none of these, which this shows at once.
  const mayCount = new Uint8Array(FILTER_SIZE);
  for (const hash of wanted) mayCount[hash % FILTER_SIZE] = 1;
  const frequencies = new TermFrequencies(words.length);
  const counts = new Float32Array(words.length * WAYS);
  each((row, hashes, packed) => {
    counts.fill(0);
    let isUnwanted = false;
    const meet = (hash: number, at: number) => {
      const target = targets.get(hash);
      if (target === undefined) return;
      if (target === UNWANTED) isUnwanted = true;
      const count = COUNT_OF_BYTE[packed[at] ?? 0] ?? 0;
      for (const place of target.sums) counts[place] = (counts[place] ?? 0) + count;
      for (const place of target.peaks) counts[place] = Math.max(counts[place] ?? 0, count);
    };
    // Looks few words up in many, or many in few, whichever takes fewer steps.
    if (wanted.length * Math.log2(hashes.length + 2) < hashes.length) {
      for (const hash of wanted) {
        const at = placeOf(hashes, hash);
        if (at >= 0) meet(hash, at);
      }
    } else {
      for (let at = 0; at < hashes.length; at++) {
        const hash = hashes[at] ?? 0;
        if (mayCount[hash % FILTER_SIZE] === 1) meet(hash, at);
      }
    }
    if (!isUnwanted) frequencies.add(row, counts);
  });
  return frequencies;
}

const FILTER_SIZE = 1 << 16;

function targetsOf(words: readonly SlotWords[], unwanted: readonly string[], hashOf: WordHash): Map<number, Targets> {
  const targets = new Map<number, Targets>();
  const at = (word: string) => {
    const hash = hashOf(word);
    const known = targets.get(hash);
    if (known) return known;
    const made: Targets = { sums: [], peaks: [] };
    targets.set(hash, made);
    return made;
  };
  for (const [slot, { word, completions, forms }] of words.entries()) {
    const written = at(word);
    written.sums.push(slot * WAYS + AS_WRITTEN, slot * WAYS + IN_ANY_FORM);
    written.peaks.push(slot * WAYS + COMPLETED);
    for (const completion of completions) at(completion).peaks.push(slot * WAYS + COMPLETED);
    for (const form of new Set([...completions, ...forms])) at(form).sums.push(slot * WAYS + IN_ANY_FORM);
  }
  for (const word of unwanted) targets.set(hashOf(word), UNWANTED);
  return targets;
}
