import { rarityOf } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import type { SlotWords } from "./forms.ts";
import { type Gains, gather } from "./gather.ts";
import type { FindLimits } from "./limits.ts";
import type { MarkedWord, Marks } from "./marks.ts";
import { requiredExpression, togetherExpression } from "./phrases.ts";
import type { Question } from "./question.ts";
import type { Holding } from "./rank.ts";
import { matchingRows } from "./rows.ts";
import { type Sample, samplesOf, shareOf } from "./samples.ts";
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
  /** Documents that contain all words and phrases, according to the index. */
  readonly together: readonly number[];
  /** Roughly how many index entries finding all of those would read. */
  readonly entries: number;
  readonly sampleOf: (slot: number, way: number) => Sample;
}

export function findCertain(
  store: Store,
  marks: Marks,
  words: readonly SlotWords[],
  question: Question,
  admission: Admission,
  limits: FindLimits,
): Certain {
  const sampleOf = samplesOf(store, marks, words, admission, limits);
  const samples = words.map((_, slot) => sampleOf(slot, COMPLETED));
  const entries = samples.reduce((sum, one) => sum + one.entries, 0);
  // Phrases also compare positions.
  const work = entries * (question.phrases.length > 0 ? 4 : 1);
  const above = windowAbove(admission, work, limits);
  const rarest = samples
    .filter(({ isComplete }) => isComplete)
    .sort((one, other) => one.rows.length - other.rows.length)[0];
  const told = { entries: work, holding: (slot: number, way: number) => sampleOf(slot, way).holding, sampleOf };
  const isAlone = isOneWord(words, question);
  const heaviest = rarest || isAlone ? null : findHeaviest(store, marks, words, question, admission, told, limits);
  if (heaviest) return { ...told, ...heaviest };
  const together =
    rarest || isAlone
      ? []
      : matchingRows(store, "places", togetherExpression(words, question), {
          above,
          upTo: admission.upTo,
          max: limits.together,
        });
  const rows = (rarest?.rows ?? together).filter((row) => admission.has(row));
  const isFound = rarest !== undefined || (!isAlone && above === 0 && together.length < limits.together);
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
 * in nearly every document have too many entries to read.
 */
function findHeaviest(
  store: Store,
  marks: Marks,
  words: readonly SlotWords[],
  question: Question,
  admission: Admission,
  { sampleOf }: Pick<Certain, "sampleOf">,
  limits: FindLimits,
): Pick<Certain, "rows" | "isComplete" | "areHeaviest" | "together"> | null {
  const marked: MarkedWord[] = [];
  const others: SlotWords[] = [];
  let entries = 0;
  let isUnmarked = false;
  for (const [slot, word] of words.entries()) {
    const mark = marks.slotOf(word.word);
    const { holding, entries: held } = sampleOf(slot, COMPLETED);
    if (mark !== undefined) {
      marked.push({ slot: mark, rarity: rarityOf(admission.count, holding) });
    } else if (holding < admission.count * NEARLY_EVERY) {
      others.push(word);
      entries += held;
    } else isUnmarked = true;
  }
  if (marked.length === 0 || entries > limits.markedEntries) return null;
  const window = { upTo: admission.upTo, max: limits.markedEntries };
  const unphrased = { ...question, phrases: [] };
  const among =
    others.length === 0 ? null : matchingRows(store, "places", togetherExpression(others, unphrased), window);
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
  store: Store,
  marks: Marks,
  gains: Gains,
  words: readonly SlotWords[],
  question: Question,
  admission: Admission,
  { rows: first, together, sampleOf, entries: work }: Certain,
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
  const entries = limits.entries + (isPlenty ? 0 : limits.entriesByWord * words.length);
  gather(store, gains, sought, admission, {
    entries: shareOf(admission) < SPARSE_SHARE ? limits.sparseEntries : entries,
    enough: limits.weighed,
  });
  const required = isFew ? requiredExpression(words, question) : null;
  const window = { above: windowAbove(admission, work, limits), upTo: admission.upTo, max: limits.together };
  // Documents with the word as typed come before those where it is only the beginning of a word.
  const written = words.length === 1 && words[0]?.isUnfinished ? sampleOf(0, AS_WRITTEN).rows : [];
  const likely = [...written, ...(required === null ? [] : matchingRows(store, "places", required, window))];
  return best(
    first,
    likely.filter((row) => admission.has(row)),
    gains,
    limits,
  );
}

/** Checks whether one word is everything that is asked for. */
function isOneWord(words: readonly SlotWords[], { phrases }: Question): boolean {
  return words.length === 1 && phrases.length === 0;
}

/** Returns the row above which finding documents with all words reads no more entries than allowed. */
function windowAbove({ upTo }: Admission, entries: number, { togetherEntries }: FindLimits): number {
  return Math.floor(upTo * Math.max(0, 1 - togetherEntries / Math.max(entries, 1)));
}

/** For a person who sees a smaller share, more entries are read to find as many documents. */
export const SPARSE_SHARE = 0.02;

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
