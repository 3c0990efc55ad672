import { COUNT_OF_BYTE, placeOf } from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";
import type { SlotWords } from "./forms.ts";
import type { Forward, SeeForward } from "./forward.ts";

/** How a document contains a word: as written; as written or completed; in any form. */
export const AS_WRITTEN = 0;
export const COMPLETED = 1;
export const IN_ANY_FORM = 2;
const WAYS = 3;

/** Returns the words that count as a slot's word in a way. */
export function wordsOf(word: SlotWords | undefined, way: number): string[] {
  if (!word) return [];
  if (way === AS_WRITTEN) return [word.word];
  if (way === COMPLETED) return [word.word, ...word.completions];
  return [...new Set([word.word, ...word.completions, ...word.forms])];
}

/** How often documents contain words, in each way. Documents with an unwanted word are left out. */
export class Tally {
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
  holding(slot: number, way: number): number {
    let holding = 0;
    for (let at = 0; at < this.rows.length; at++) if (this.count(at, slot, way) > 0) holding++;
    return holding;
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

/**
 * Counts the words in documents by their forward entries.
 *
 * @param rows the first of these are counted, up to `bytesMax` of forward entries
 */
export function tally(
  forward: Forward,
  rows: readonly number[],
  words: readonly SlotWords[],
  unwanted: readonly string[],
  bytesMax: number,
): Tally {
  return tallyOf(words, unwanted, forward.hash, (see) => forward.each(rows, bytesMax, see));
}

/** Does the same for the documents that `each` calls back with. */
function tallyOf(
  words: readonly SlotWords[],
  unwanted: readonly string[],
  hashOf: WordHash,
  each: (see: SeeForward) => void,
): Tally {
  const targets = targetsOf(words, unwanted, hashOf);
  const wanted = Uint32Array.from(targets.keys()).sort();
  // Nearly all words of a document are none of these, which this shows at once.
  const mayCount = new Uint8Array(FILTER_SIZE);
  for (const hash of wanted) mayCount[hash % FILTER_SIZE] = 1;
  const counted = new Tally(words.length);
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
    if (!isUnwanted) counted.add(row, counts);
  });
  return counted;
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
