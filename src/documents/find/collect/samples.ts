import type { EligibleSet } from "./eligible-set.ts";
import { type SlotWords, wordsOf } from "#documents/find/query/slot-words.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import type { Postings } from "./postings.ts";
import type { ImpactBitmaps } from "./impact-bitmaps.ts";
import { anyWordOf } from "#documents/find/query/match-expressions.ts";
import { rowsFrom } from "./row-bits.ts";

/** The newest eligible documents with a word. */
export interface Sample {
  readonly rows: readonly number[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
  /** How many there are: exact if complete or by bitmaps, otherwise estimated from how close together they are. */
  readonly documentFrequency: number;
  readonly isExact: boolean;
  /** About how many entries all lists of the word have. Only the time that a search takes may depend on it. */
  readonly entries: number;
}

/** Returns a function that samples the eligible documents which contain a slot's word in a way, when first asked. */
export function samplesOf(
  postings: Postings,
  bitmaps: ImpactBitmaps,
  words: readonly SlotWords[],
  eligible: EligibleSet,
  limits: FindLimits,
): (slot: number, way: number) => Sample {
  const sampled = new Map<string, Sample>();
  const glance = Math.min(limits.sample, Math.ceil(limits.glances / words.length));
  return (slot, way) => {
    const alternatives = wordsOf(words[slot], way);
    const expression = anyWordOf(alternatives);
    const known =
      sampled.get(expression) ??
      sampleByBitmaps(postings, bitmaps, alternatives, eligible, limits.sample) ??
      sample(postings, expression, eligible, glance, limits.sample);
    sampled.set(expression, known);
    return known;
  };
}

/** Samples documents. @param max if there are fewer, all are read; otherwise, a glance is enough */
function sample(postings: Postings, expression: string, eligible: EligibleSet, glance: number, max: number): Sample {
  // With one more, it is known whether there are others.
  const read = (most: number) => postings.newest("postings", expression, eligible, { max: most + 1 });
  let most = glance;
  let rows = read(most);
  if (rows.length > most && most < max && frequencyOf(rows, eligible) < max * 2) {
    most = max;
    rows = read(most);
  }
  const isComplete = rows.length <= most;
  return {
    rows: isComplete ? rows : rows.slice(0, most),
    isComplete,
    documentFrequency: isComplete ? rows.length : frequencyOf(rows, eligible),
    isExact: isComplete,
    entries: postings.entriesOf("postings", expression, eligible),
  };
}

/** Estimates how many eligible documents there are like the newest ones. @param oldest up to which row these were looked for */
export function frequencyOf(
  rows: readonly number[],
  { bits, count }: EligibleSet,
  oldest: number = rows.at(-1) ?? 0,
): number {
  return (rows.length * count) / Math.max(rowsFrom(bits, oldest), 1);
}

/** Does the same for common words, with exact counts; `null`: eligible documents have others as well. */
function sampleByBitmaps(
  postings: Postings,
  bitmaps: ImpactBitmaps,
  words: readonly string[],
  eligible: EligibleSet,
  max: number,
): Sample | null {
  const slots: number[] = [];
  const others: string[] = [];
  for (const word of words) {
    const slot = bitmaps.slotOf(word);
    if (slot === undefined) others.push(word);
    else slots.push(slot);
  }
  // Whether the count is exact must not depend on words that only others may read.
  if (slots.length === 0 || postings.hasAny(others, eligible)) return null;
  const { all, counting, rows } = bitmaps.documentFrequency(slots, eligible, max);
  return { rows, isComplete: counting <= max, entries: all, documentFrequency: counting, isExact: true };
}
