import { rarityOf } from "#documents/index-rules.ts";
import type { Admission } from "./admission.ts";
import type { SlotWords } from "./forms.ts";
import { type Gains, gather } from "./gather.ts";
import type { FindLimits } from "./limits.ts";
import { ENTRIES_A_SPAN, type Lists } from "./lists.ts";
import type { MarkedWord, Marks } from "./marks.ts";
import { requiredExpression, togetherExpression } from "./phrases.ts";
import type { Question } from "./question.ts";
import type { Holding } from "./rank.ts";
import { nthNewestRow } from "./row-bits.ts";
import { type Sample, samplesOf } from "./samples.ts";
import { AS_WRITTEN, COMPLETED, IN_ANY_FORM, wordsOf } from "./tally.ts";

/** What the index says about documents with all words, if there are too many admitted documents to score them all. */
export interface Certain {
  /** Admitted documents that may contain all words. */
  readonly rows: readonly number[];
  /** Whether they include every document with all words, and all of them are scored. */
  readonly isComplete: boolean;
  /** Whether they are, by their marks, the heaviest of all documents with all words as written. */
  readonly areHeaviest: boolean;
  readonly holding: Holding;
  /** Admitted documents that contain all words and phrases, according to the index. */
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

export function findCertain(
  lists: Lists,
  marks: Marks,
  words: readonly SlotWords[],
  question: Question,
  admission: Admission,
  limits: FindLimits,
): Certain {
  const sampleOf = samplesOf(lists, marks, words, admission, limits);
  const samples = words.map((_, slot) => sampleOf(slot, COMPLETED));
  const window = windowOf(samples, question, admission, limits);
  const rarest = samples
    .filter(({ isComplete }) => isComplete)
    .sort((one, other) => one.rows.length - other.rows.length)[0];
  const told = { window, holding: (slot: number, way: number) => sampleOf(slot, way).holding, sampleOf };
  const isAlone = isOneWord(words, question);
  const heaviest = rarest || isAlone ? null : findHeaviest(lists, marks, words, question, admission, told, limits);
  if (heaviest) return { ...told, ...heaviest };
  const together =
    rarest || isAlone
      ? []
      : lists.newest("places", togetherExpression(words, question), admission, { ...window, max: limits.together });
  const rows = (rarest?.rows ?? together).filter((row) => admission.has(row));
  const isFound = rarest !== undefined || (!isAlone && window.above === 0 && together.length < limits.together);
  return {
    rows,
    isComplete: isFound && rows.length <= limits.weighedTogether,
    areHeaviest: false,
    together,
    ...told,
  };
}

/**
 * Finds the same with the marks of common words; `null` if marks don't help: no word has marks, or the words without marks that aren't
 * in nearly every document are in too many to look all up.
 */
function findHeaviest(
  lists: Lists,
  marks: Marks,
  words: readonly SlotWords[],
  question: Question,
  admission: Admission,
  { sampleOf, window }: Pick<Certain, "sampleOf" | "window">,
  limits: FindLimits,
): Pick<Certain, "rows" | "isComplete" | "areHeaviest" | "together"> | null {
  const marked: MarkedWord[] = [];
  const others: SlotWords[] = [];
  let held = 0;
  let isUnmarked = false;
  for (const [slot, word] of words.entries()) {
    const mark = marks.slotOf(word.word);
    const { holding } = sampleOf(slot, COMPLETED);
    if (mark !== undefined) {
      marked.push({ slot: mark, rarity: rarityOf(admission.count, holding) });
    } else if (holding < admission.count * NEARLY_EVERY) {
      others.push(word);
      held += holding;
    } else isUnmarked = true;
  }
  if (marked.length === 0 || held > limits.markedEntries) return null;
  const unphrased = { ...question, phrases: [] };
  const among =
    others.length === 0
      ? null
      : lists.newest("places", togetherExpression(others, unphrased), admission, {
          max: limits.markedEntries,
          span: window.span,
        });
  const { rows, isComplete } = marks.heaviest(marked, among, admission, limits.facetDocuments);
  const areAll = isComplete && (among === null || among.length < limits.markedEntries);
  const isExact = question.phrases.length === 0 && question.unwanted.length === 0 && !isUnmarked;
  return {
    rows: rows.slice(0, limits.weighedTogether),
    isComplete:
      areAll && rows.length <= limits.weighedTogether && words.every(({ completions }) => completions.length === 0),
    areHeaviest: true,
    together: isExact ? rows : [],
  };
}

/** An unmarked word in at least this share of the documents isn't looked up here: scoring takes it into account. */
const NEARLY_EVERY = 0.5;

/** Returns the documents that are worth scoring: the most promising of those with all words, and of those with some. */
export function findCandidates(
  lists: Lists,
  marks: Marks,
  gains: Gains,
  words: readonly SlotWords[],
  question: Question,
  admission: Admission,
  { rows: first, together, sampleOf, window }: Certain,
  limits: FindLimits,
): readonly number[] {
  const isAlone = isOneWord(words, question);
  const isFew = (isAlone ? (sampleOf(0, COMPLETED).holding ?? 0) : first.length) < limits.few;
  gains.reset(admission.upTo);
  const sought = words.map((word, slot) => {
    const way = isFew ? IN_ANY_FORM : COMPLETED;
    const { rows, isComplete, holding } = sampleOf(slot, way);
    const rarity = rarityOf(admission.count, holding);
    const isShort = isComplete && rows.length <= limits.weighed / 2;
    // If the person sees few documents, reading the marks of each is faster than reading lists.
    const areMarksFaster = !isShort && admission.count <= limits.promised;
    const unmarked: string[] = [];
    for (const one of wordsOf(word, way)) {
      const mark = areMarksFaster ? marks.slotOf(one) : undefined;
      if (mark === undefined) unmarked.push(one);
      else marks.promises({ slot: mark, rarity }, admission, (row, gain) => gains.add(row, slot, gain));
    }
    return { words: unmarked, rarity, rows: isShort ? rows : null };
  });
  // If many documents contain all words, the lists only need to show which of them have these in their titles.
  const isPlenty = together.length > 0 && !isFew;
  gather(lists, gains, sought, admission, {
    entries: limits.entries + (isPlenty ? 0 : limits.entriesByWord * words.length),
    enough: limits.weighed,
  });
  const required = isFew ? requiredExpression(words, question) : null;
  // Documents with the word as typed come before those where it is only the beginning of a word.
  const written = words.length === 1 && words[0]?.isUnfinished ? sampleOf(0, AS_WRITTEN).rows : [];
  const quoted =
    required === null ? [] : lists.newest("places", required, admission, { ...window, max: limits.together });
  return best(first, [...written, ...quoted], gains, limits);
}

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
  { bits, count, upTo }: Admission,
  { togetherEntries }: FindLimits,
): Window {
  // Phrases also compare positions.
  const times = phrases.length > 0 ? 4 : 1;
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 1) * times;
  const newest = Math.ceil((count * togetherEntries) / sum(samples.map(({ holding }) => holding)));
  return {
    above: newest < count ? nthNewestRow(bits, newest) - 1 : 0,
    span: Math.ceil((upTo * ENTRIES_A_SPAN) / sum(samples.map(({ entries }) => entries))),
  };
}

/**
 * Returns the documents with the greatest gain, newest first if equal: some of those that contain all words or probably do, and some of
 * all others. With common words, the entries that were read say too little about either, and the others may contain all words, too.
 */
function best(
  first: readonly number[],
  likely: readonly number[],
  gains: Gains,
  { weighed, weighedTogether }: FindLimits,
): number[] {
  const byGain = (one: number, other: number) => gains.of(other) - gains.of(one) || other - one;
  const certain = [...new Set([...first.toSorted(byGain), ...likely.toSorted(byGain)])].slice(0, weighedTogether);
  const chosen = new Set(certain);
  const max = Math.max(weighed, certain.length + weighed / 2);
  for (const row of gains.greatest(max).sort(byGain)) {
    if (chosen.size >= max) break;
    chosen.add(row);
  }
  return [...chosen].sort(byGain);
}
