import { idfOf, saturationOf, weightOf } from "#documents/index-rules.ts";
import { AS_WRITTEN, IN_ANY_FORM, type SlotWords } from "#documents/find/query/slot-words.ts";
import type { PassageWeights } from "./passages.ts";
import type { PhraseCheck } from "./phrases.ts";
import type { TermFrequencies } from "./term-frequencies.ts";
import {
  PASSAGE_SHARE,
  MANY_DOCUMENTS,
  QUESTION_WORDS,
  RECENT_HALF_LIFE_DAYS,
  RECENT_WORTH,
  REPEATED_WORTH_MAX,
  WRITTEN_SHARE,
} from "./weights.ts";

/**
 * The tiers of documents: with every word as written, then with some of the words in any form. For a question, all documents are in the
 * last tier, so that the score alone decides.
 */
export const EVERY_WORD = 2;
export const SOME_WORDS = 1;

export const WAY_OF_TIER = {
  [EVERY_WORD]: AS_WRITTEN,
  [SOME_WORDS]: IN_ANY_FORM,
} as const;

export interface RankedDocument {
  readonly row: number;
  /** Its position among the documents whose words were counted. */
  readonly at: number;
  readonly tier: typeof EVERY_WORD | typeof SOME_WORDS;
  readonly score: number;
  /** Whether it contains every word as written. */
  readonly hasAll: boolean;
  /** Which of the words it contains in any form, one bit each. */
  readonly held: number;
  /** Whether its title, as a field of its own, has one of the words. */
  readonly hasTitleWord?: boolean;
  /** Whether its whole title was typed. */
  readonly isTitled?: boolean;
}

/** Returns how many eligible documents contain a slot's word, in each way. */
export type DocumentFrequency = (slot: number, way: number) => number;

/** What ranking needs to know about documents. */
export interface Norms {
  lengthOf(row: number): number;
  dayOf(row: number): number;
}

/** Statistics of the documents that a search may find, by which words are weighed. */
export interface CollectionStatistics {
  readonly count: number;
  /** Average number of words in one of them. */
  readonly averageLength: number;
}

/** Documents by their scores as a whole, and the inputs for scoring their passages. */
export interface Ranking {
  readonly ranked: readonly RankedDocument[];
  /** By slot and way: how many eligible documents contain its word, and how much that says. */
  readonly documentFrequencies: readonly (readonly number[])[];
  readonly idfs: readonly (readonly number[])[];
  readonly recencyOf: (row: number) => number;
  /** How many contain every word. */
  readonly every: number;
  /** Whether the score alone decides. */
  readonly isQuestion: boolean;
}

/** Checks whether a search asks a question, of which documents are good answers that lack one of the words. */
export function isQuestionOf(words: readonly SlotWords[], every: number): boolean {
  return words.length >= QUESTION_WORDS && !words.some(({ isRequired }) => isRequired) && every < MANY_DOCUMENTS;
}

/**
 * Ranks documents whose words were counted, by exact BM25 with the statistics of what the person may see. Reads no passages or texts.
 *
 * @param today the day from which recent updates count, as doc values store it; `null`: they don't count
 * @param isQuestion whether the score alone decides; `null`: it is decided from these documents
 */
export function rankWhole(
  frequencies: TermFrequencies,
  words: readonly SlotWords[],
  documentFrequency: DocumentFrequency,
  {
    norms,
    statistics,
    today,
    isQuestion: decided,
  }: {
    readonly norms: Norms;
    readonly statistics: CollectionStatistics;
    readonly today: number | null;
    readonly isQuestion: boolean | null;
  },
): Ranking {
  const documentFrequencies = words.map((_, slot) =>
    [AS_WRITTEN, IN_ANY_FORM].map((way) => documentFrequency(slot, way)),
  );
  const idfs = words.map(({ times }, slot) =>
    (documentFrequencies[slot] ?? []).map(
      // What a question repeats is what it is about.
      (frequency) =>
        ((REPEATED_WORTH_MAX * times) / (times + REPEATED_WORTH_MAX - 1)) * idfOf(statistics.count, frequency),
    ),
  );
  const recencyOf = (row: number) => recency(norms.dayOf(row), today);
  const hasEvery = (at: number) => words.every((_, slot) => frequencies.count(at, slot, AS_WRITTEN) > 0);
  const every = frequencies.rows.filter((_, at) => hasEvery(at)).length;
  const isQuestion = decided ?? isQuestionOf(words, every);
  const ranked: RankedDocument[] = [];
  for (const [at, row] of frequencies.rows.entries()) {
    const holds = (way: number, slot: number) => frequencies.count(at, slot, way) > 0;
    if (words.some(({ isRequired }, slot) => isRequired && !holds(AS_WRITTEN, slot))) continue;
    const held = words.reduce((bits, _, slot) => (holds(IN_ANY_FORM, slot) ? bits | (1 << slot) : bits), 0);
    if (held === 0) continue;
    const hasAll = hasEvery(at);
    const tier = isQuestion || !hasAll ? SOME_WORDS : EVERY_WORD;
    const saturation = saturationOf(norms.lengthOf(row), statistics.averageLength);
    const weightIn = (way: number) =>
      words.reduce((sum, _, slot) => {
        const count = frequencies.count(at, slot, way);
        return count === 0 ? sum : sum + weightOf(idfs[slot]?.[way] ?? 0, count, saturation);
      }, 0);
    ranked.push({ row, at, tier, hasAll, score: weightOfTier(tier, weightIn) * recencyOf(row), held });
  }
  return { ranked: ranked.sort(bestFirst), documentFrequencies, idfs, recencyOf, every, isQuestion };
}

/** Returns a document's weight: mostly by the words that its tier counts, and for the rest by the words as written. */
export function weightOfTier(tier: RankedDocument["tier"], weightIn: (way: number) => number): number {
  return (1 - WRITTEN_SHARE) * weightIn(WAY_OF_TIER[tier]) + WRITTEN_SHARE * weightIn(AS_WRITTEN);
}

/** Adds the scores of the best passages of the first documents. They make no difference to a search for one word. */
export function byPassages(
  ranked: readonly RankedDocument[],
  passageWeights: PassageWeights,
  { idfs, recencyOf }: Pick<Ranking, "idfs" | "recencyOf">,
  max: number,
): readonly RankedDocument[] {
  if (idfs.length === 1) return ranked;
  const first = ranked.filter(({ hasTitleWord }) => !hasTitleWord).slice(0, max);
  const weights = new Map(
    [...Map.groupBy(first, ({ tier }) => tier)].flatMap(([tier, of]) => {
      const way = WAY_OF_TIER[tier];
      const idfsOfWay = idfs.map((ways) => ways[way] ?? 0);
      return [...passageWeights(rowsOf(of), way, idfsOfWay)];
    }),
  );
  return ranked
    .map((one) => {
      const weight = weights.get(one.row);
      if (weight === undefined) return one;
      const share = one.tier === SOME_WORDS ? PASSAGE_SHARE.someWords : PASSAGE_SHARE.everyWord;
      return { ...one, score: (1 - share) * one.score + share * weight * recencyOf(one.row) };
    })
    .sort(bestFirst);
}

export function rowsOf(ranked: readonly RankedDocument[]): readonly number[] {
  return ranked.map(({ row }) => row);
}

export function bestFirst(one: RankedDocument, other: RankedDocument): number {
  return other.tier - one.tier || other.score - one.score || other.row - one.row;
}

function recency(day: number, today: number | null): number {
  if (today === null || day === 0) return 1;
  return 1 + RECENT_WORTH * 0.5 ** (Math.max(today - day, 0) / RECENT_HALF_LIFE_DAYS);
}

/**
 * Removes documents that lack a quoted phrase or have an unwanted one. Without another phrase, a document doesn't count as having every
 * word.
 */
export function withPhrases(ranked: readonly RankedDocument[], phrases: PhraseCheck): RankedDocument[] {
  const verdicts = phrases.verdicts(ranked);
  return ranked
    .flatMap((one): RankedDocument | [] => {
      const verdict = verdicts.get(one.row) ?? null;
      if (verdict === null) return [];
      return verdict === one.hasAll ? one : { ...one, tier: SOME_WORDS, hasAll: false };
    })
    .sort(bestFirst);
}

/** Returns the position after a document, or if that is gone or has another id, the position that it had. */
export function placeBehind(
  ranked: readonly RankedDocument[],
  { ids, last, place }: { readonly ids: number; readonly last: number; readonly place: number },
  idsNow: number,
): number {
  if (ids !== idsNow) return place;
  const at = ranked.findIndex(({ row }) => row === last);
  return at < 0 ? Math.max(place - 1, 0) : at + 1;
}
