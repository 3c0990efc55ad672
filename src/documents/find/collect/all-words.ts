import type { DocumentTotal } from "#documents/engine.ts";
import { idfOf } from "#documents/index-rules.ts";
import type { EligibleSet } from "./eligible-set.ts";
import { AS_WRITTEN, type SlotWords } from "#documents/find/query/slot-words.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import { ENTRIES_A_SPAN, type Postings } from "./postings.ts";
import type { BitmapWord, ImpactBitmaps } from "./impact-bitmaps.ts";
import { togetherExpression } from "#documents/find/query/match-expressions.ts";
import type { Question } from "#documents/find/query/question.ts";
import type { DocumentFrequency } from "#documents/find/rank/rank.ts";
import { nthNewestRow } from "./row-bits.ts";
import { frequencyOf, type Sample, samplesOf } from "./samples.ts";

/** What the index says about documents with all words, if there are too many eligible documents to score them all. */
export interface AllWords {
  /** Eligible documents that may contain all words. */
  readonly rows: readonly number[];
  /** Whether they include every document with all words, and all of them are scored. */
  readonly isComplete: boolean;
  /** How many eligible documents they are the first of. */
  readonly count: DocumentTotal;
  /** Whether all of these contain all words and phrases, and no unwanted ones. */
  readonly isCertain: boolean;
  /** Whether they are, by their impact bitmaps, the heaviest of all documents with all words as written. */
  readonly areHeaviest: boolean;
  readonly documentFrequency: DocumentFrequency;
  /** Eligible documents that contain all words and phrases, according to the index. */
  readonly together: readonly number[];
  /** Among which documents those with all words are looked for, and how. */
  readonly window: Window;
  readonly sampleOf: (slot: number, way: number) => Sample;
}

/** The rows after one, read in steps. */
export interface Window {
  readonly above: number;
  readonly span: number;
}

export function findAllWords(
  postings: Postings,
  bitmaps: ImpactBitmaps,
  words: readonly SlotWords[],
  question: Question,
  eligible: EligibleSet,
  limits: FindLimits,
): AllWords {
  const sampleOf = samplesOf(postings, bitmaps, words, eligible, limits);
  const samples = words.map((_, slot) => sampleOf(slot, AS_WRITTEN));
  const window = windowOf(samples, question, eligible, limits);
  const rarest = samples
    .filter(({ isComplete }) => isComplete)
    .sort((one, other) => one.rows.length - other.rows.length)[0];
  const common = {
    window,
    documentFrequency: (slot: number, way: number) => sampleOf(slot, way).documentFrequency,
    sampleOf,
  };
  const isAlone = isOneWord(words, question);
  const heaviest =
    rarest || isAlone ? null : findHeaviest(postings, bitmaps, words, question, eligible, common, limits);
  if (heaviest) return { ...common, ...heaviest };
  const together =
    rarest || isAlone
      ? []
      : postings.newest("postings", togetherExpression(words, question), eligible, { ...window, max: limits.together });
  const rows = (rarest?.rows ?? together).filter((row) => eligible.has(row));
  const areAll = window.above === 0 && together.length < limits.together;
  const isFound = rarest !== undefined || (!isAlone && areAll);
  const oldest = together.length < limits.together ? window.above + 1 : (together.at(-1) ?? 0);
  const documents = rarest ? rows.length : frequencyOf(together, eligible, oldest);
  const [word] = samples;
  return {
    rows,
    count:
      isAlone && word ? { documents: word.documentFrequency, isExact: word.isExact } : { documents, isExact: isFound },
    isCertain: isAlone ? question.unwanted.length === 0 : rarest === undefined,
    isComplete: isFound && rows.length <= limits.weighedTogether,
    areHeaviest: false,
    together,
    ...common,
  };
}

/**
 * Finds the same with the bitmaps of common words; `null` if bitmaps don't help: no word has any, or the words without bitmaps that aren't
 * in nearly every document are in too many to look all up.
 */
function findHeaviest(
  postings: Postings,
  bitmaps: ImpactBitmaps,
  words: readonly SlotWords[],
  question: Question,
  eligible: EligibleSet,
  { sampleOf, window }: Pick<AllWords, "sampleOf" | "window">,
  limits: FindLimits,
): Pick<AllWords, "rows" | "isComplete" | "areHeaviest" | "together" | "count" | "isCertain"> | null {
  const mapped: BitmapWord[] = [];
  const others: SlotWords[] = [];
  let held = 0;
  let isUnmapped = false;
  for (const [slot, word] of words.entries()) {
    const bitmap = word.synonyms ? undefined : bitmaps.slotOf(word.word);
    const { documentFrequency } = sampleOf(slot, AS_WRITTEN);
    if (bitmap !== undefined) {
      mapped.push({ slot: bitmap, idf: idfOf(eligible.count, documentFrequency) });
    } else if (documentFrequency < eligible.count * NEARLY_EVERY) {
      others.push(word);
      held += documentFrequency;
    } else isUnmapped = true;
  }
  if (mapped.length === 0 || held > limits.unmappedEntries) return null;
  const unphrased = { ...question, phrases: [] };
  const among =
    others.length === 0
      ? null
      : postings.newest("postings", togetherExpression(others, unphrased), eligible, {
          max: limits.unmappedEntries,
          span: window.span,
        });
  const { rows, isComplete, count } = bitmaps.heaviest(mapped, among, eligible, limits.facetDocuments);
  const areCounted = among === null || among.length < limits.unmappedEntries;
  const isExact = question.phrases.length === 0 && question.unwanted.length === 0 && !isUnmapped;
  return {
    rows: rows.slice(0, limits.weighedTogether),
    count: { documents: count, isExact: areCounted },
    isCertain: isExact,
    isComplete: areCounted && isComplete && rows.length <= limits.weighedTogether,
    areHeaviest: true,
    together: isExact ? rows : [],
  };
}

/** An unmapped word in at least this share of the documents isn't looked up here: scoring takes it into account. */
const NEARLY_EVERY = 0.5;

/** Checks whether one word is everything that is asked for. */
function isOneWord(words: readonly SlotWords[], { phrases }: Question): boolean {
  return words.length === 1 && phrases.length === 0;
}

/**
 * Returns the rows in which documents with all words are looked for: those of the newest visible documents, so many that these have as
 * many entries as allowed. The steps are as long as all entries together suggest.
 */
function windowOf(
  samples: readonly Sample[],
  { phrases }: Question,
  { bits, count, upTo }: EligibleSet,
  { togetherEntries }: FindLimits,
): Window {
  // Phrases also compare positions.
  const times = phrases.length > 0 ? 4 : 1;
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 1) * times;
  const newest = Math.ceil((count * togetherEntries) / sum(samples.map(({ documentFrequency }) => documentFrequency)));
  return {
    above: newest < count ? nthNewestRow(bits, newest) - 1 : 0,
    span: Math.ceil((upTo * ENTRIES_A_SPAN) / sum(samples.map(({ entries }) => entries))),
  };
}
