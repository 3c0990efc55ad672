import { idfOf } from "#documents/index-rules.ts";
import type { EligibleSet } from "./eligible-set.ts";
import { IN_ANY_FORM, isSeveral, type SlotWords, wordsOf } from "#documents/find/query/slot-words.ts";
import type { RowsInARow } from "#documents/find/rank/term-frequencies.ts";
import { type Accumulator, gather, MIDDLE_SHARE } from "./accumulator.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import type { Postings } from "./postings.ts";
import type { ImpactBitmaps } from "./impact-bitmaps.ts";
import { requiredExpression } from "#documents/find/query/match-expressions.ts";
import type { Question } from "#documents/find/query/question.ts";
import type { AllWords } from "./all-words.ts";

/** Returns the documents that are worth scoring: the most promising of those with all words, and of those with some. */
export function findCandidates(
  postings: Postings,
  bitmaps: ImpactBitmaps,
  accumulator: Accumulator,
  words: readonly SlotWords[],
  inARow: RowsInARow,
  question: Question,
  eligible: EligibleSet,
  { rows: first, sampleOf, window }: AllWords,
  limits: FindLimits,
): readonly number[] {
  accumulator.reset(eligible.upTo);
  const sought = words.map((word, slot) => {
    const { rows, isComplete, documentFrequency } = sampleOf(slot, IN_ANY_FORM);
    const idf = idfOf(eligible.count, documentFrequency);
    const isShort = isComplete && rows.length <= limits.weighed / 2;
    // If the person sees few documents, reading the bitmaps is faster than reading lists.
    const areBitmapsFaster = !isShort && eligible.count <= limits.promised;
    const unmapped: string[] = [];
    for (const one of wordsOf(word, IN_ANY_FORM)) {
      if (isSeveral(one)) continue;
      const bitmap = areBitmapsFaster ? bitmaps.slotOf(one) : undefined;
      if (bitmap === undefined) unmapped.push(one);
      else bitmaps.promises({ slot: bitmap, idf }, eligible, (row, gain) => accumulator.add(row, slot, gain));
    }
    return { words: unmapped, idf, rows: isShort ? rows : null };
  });
  gather(postings, accumulator, sought, eligible, {
    entries: limits.entries + limits.entriesByWord * words.length,
    enough: limits.weighed,
  });
  for (const [slot, word] of words.entries()) {
    for (const one of wordsOf(word, IN_ANY_FORM)) {
      for (const row of inARow.get(one) ?? []) accumulator.add(row, slot, (sought[slot]?.idf ?? 0) * MIDDLE_SHARE);
    }
  }
  const required = requiredExpression(words, question);
  const quoted =
    required === null ? [] : postings.newest("postings", required, eligible, { ...window, max: limits.together });
  return best(first, quoted, accumulator, limits);
}

/**
 * Returns the documents with the greatest gain, newest first if equal: some of those that contain all words or probably do, and some of
 * all others. With common words, the entries that were read say too little about either, and the others may contain all words, too.
 */
function best(
  first: readonly number[],
  likely: readonly number[],
  accumulator: Accumulator,
  { weighed, weighedTogether }: FindLimits,
): number[] {
  const byGain = (one: number, other: number) => accumulator.of(other) - accumulator.of(one) || other - one;
  const certain = [...new Set([...first.toSorted(byGain), ...likely.toSorted(byGain)])].slice(0, weighedTogether);
  const chosen = new Set(certain);
  const max = Math.max(weighed, certain.length + weighed / 2);
  for (const row of accumulator.greatest(max).sort(byGain)) {
    if (chosen.size >= max) break;
    chosen.add(row);
  }
  return [...chosen].sort(byGain);
}
