import { dayOfSeconds } from "#documents/index-rules.ts";
import type { Language } from "#documents/languages.ts";
import type { Store } from "#documents/store.ts";
import type { Accumulator } from "./collect/accumulator.ts";
import { type AllWords, findAllWords } from "./collect/all-words.ts";
import { findCandidates } from "./collect/candidates.ts";
import type { DocValues } from "./collect/doc-values.ts";
import type { EligibleSet } from "./collect/eligible-set.ts";
import type { ImpactBitmaps } from "./collect/impact-bitmaps.ts";
import type { Postings } from "./collect/postings.ts";
import { type Sketch, sketchesOf } from "./collect/stored-sketches.ts";
import { storedBeginnings, storedTexts, storedTitles } from "./collect/stored-texts.ts";
import type { TermVectors } from "./collect/term-vectors.ts";
import type { UnscoredTail } from "./collect/unscored-tail.ts";
import type { FindLimits } from "./limits.ts";
import { orWithout } from "./or-without.ts";
import { anyWordOf, formOf, togetherExpression } from "./query/match-expressions.ts";
import type { Question } from "./query/question.ts";
import { IN_ANY_FORM, isSeveral, type SlotWords, wordsOf } from "./query/slot-words.ts";
import { MANY_DOCUMENTS } from "./rank/weights.ts";
import { passageWeightsOf } from "./rank/passages.ts";
import { PhraseCheck } from "./rank/phrases.ts";
import { byLanguage } from "./rank/languages.ts";
import { beginningsToRead, byNearness } from "./rank/nearness.ts";
import { byPassages, isQuestionOf, type Ranking, rankWhole, rowsOf, SOME_WORDS, withPhrases } from "./rank/rank.ts";
import { byTitleField, titlesThatMayDecide } from "./rank/title-field.ts";
import { byTitles } from "./rank/titles.ts";
import type { RowsInARow } from "./rank/term-frequencies.ts";

/** One search: what it asks for, which documents it may find, and what reads the index for it. */
export interface Search {
  readonly store: Store;
  readonly limits: FindLimits;
  readonly docValues: DocValues;
  readonly impactBitmaps: ImpactBitmaps;
  readonly accumulator: Accumulator;
  readonly postings: Postings;
  readonly termVectors: TermVectors;
  readonly question: Question;
  readonly eligible: EligibleSet;
}

/** What a search finds: documents in order, and how to find those after them that weren't scored. */
export interface SearchResults extends Pick<Ranking, "ranked" | "every" | "isQuestion" | "documentFrequencies"> {
  /** How to find documents with all words that aren't all among the ranked; `null`: they are. */
  readonly tail: UnscoredTail | null;
  /** Documents that facets count in addition to the ranked. */
  readonly more: readonly number[];
  /** How many documents were to be scored, and how many of these are beyond a limit of what is read. */
  readonly scored: number;
  /** Of the first documents, if they are compared. */
  readonly sketches: ReadonlyMap<number, Sketch>;
  readonly unread: number;
  /** What the index says about documents with all words; `null`: all documents with one of the words are ranked. */
  readonly allWords: Pick<AllWords, "rows" | "count" | "isCertain" | "isComplete"> | null;
}

/** How the results of one question are put in order, and how many of them are shown. */
export interface ResultPreferences {
  /** The current time in epoch seconds, if recently updated documents count for more; `null`: they don't. */
  readonly recentAt: number | null;
  /** How many documents come up to the end of the page. */
  readonly wanted: number;
  /** Whether the score alone decides; `null`: it is decided from what is found. */
  readonly isQuestion: boolean | null;
  /** The language of the person who asks; `null`: it isn't known, or not one of those that documents can have. */
  readonly language: Language | null;
  /** Whether the first documents are compared with each other. */
  readonly areCompared: boolean;
}

const NO_SKETCHES: SearchResults["sketches"] = new Map();

const NOTHING = {
  ranked: [],
  more: [],
  every: 0,
  documentFrequencies: [],
  scored: 0,
  sketches: NO_SKETCHES,
  unread: 0,
  allWords: null,
};

/** The bytes of a term vector for each word of a document, at most. */
const BYTES_OF_A_WORD = 5;

/** Looking a word up in the index costs as much as reading this many entries. */
const ENTRIES_OF_A_WORD = 50;

/** Finds the documents for a question: collects candidates from the index, then ranks them. */
export function resultsOf(search: Search, words: readonly SlotWords[], preferences: ResultPreferences): SearchResults {
  const { question, eligible, postings, impactBitmaps, accumulator, limits } = search;
  const { wanted, isQuestion } = preferences;
  if (eligible.count === 0) return { ...NOTHING, isQuestion: isQuestion ?? isQuestionOf(words, 0), tail: null };
  if (words.length === 0) return { ...NOTHING, isQuestion: false, tail: { expression: null, span: 0 } };
  const ranked = (rows: readonly number[], allWords: AllWords | null) =>
    rankedBy(search, words, preferences, rows, allWords);
  if (eligible.rows)
    return { ...ranked(holdersOf(search, eligible.rows, words), null), tail: null, more: [], allWords: null };
  const allWords = findAllWords(postings, impactBitmaps, words, question, eligible, limits);
  const tail = allWords.isComplete
    ? null
    : { expression: togetherExpression(words, question), span: allWords.window.span };
  const after = { tail, more: allWords.together, allWords };
  const isRequired = words.every((word) => word.isRequired);
  // With fewer, a title may count as all words.
  const least = words.some((word) => word.isRequired) ? 0 : MANY_DOCUMENTS;
  if (
    (allWords.isComplete || allWords.areHeaviest) &&
    (allWords.rows.length > Math.max(wanted, least - 1) || isRequired)
  ) {
    // Everything else comes after these, so a page that they fill needs nothing else.
    const order = ranked(allWords.rows, allWords);
    const full = order.ranked.filter(({ tier }) => tier !== SOME_WORDS);
    if ((full.length > wanted && order.every >= least) || isRequired) return { ...order, ranked: full, ...after };
  }
  const inARow = rowsInARow(search, words);
  const rows = findCandidates(
    postings,
    impactBitmaps,
    accumulator,
    words,
    inARow,
    question,
    eligible,
    allWords,
    limits,
  );
  return { ...ranked(rows, allWords), ...after };
}

/** Returns the newest documents that have several words which stand for a typed one, by these words. */
function rowsInARow({ postings, eligible, limits }: Search, words: readonly SlotWords[]): RowsInARow {
  const all = new Set(
    words
      .flatMap((word) => [...wordsOf(word, IN_ANY_FORM), ...(word.parts ? [word.parts.join(" ")] : [])])
      .filter(isSeveral),
  );
  return new Map(
    [...all].map((one) => [one, new Set(postings.newest("postings", formOf(one), eligible, { max: limits.sample }))]),
  );
}

/** Reads what ranking needs to know about the collected documents, and ranks them. */
function rankedBy(
  search: Search,
  words: readonly SlotWords[],
  { recentAt, isQuestion, language, areCompared }: ResultPreferences,
  rows: readonly number[],
  allWords: AllWords | null,
): Omit<SearchResults, "tail" | "more" | "allWords"> {
  const { store, limits, docValues, termVectors, question, eligible } = search;
  const unwanted = question.unwanted.filter((one) => one.length === 1).flat();
  const lengthOf = (row: number) => docValues.lengthOf(row);
  const inARow = rowsInARow(search, words);
  const frequencies = termVectors.frequenciesOf(rows, words, unwanted, limits.weighedBytes, inARow);
  const documentFrequency = allWords?.documentFrequency ?? ((slot, way) => frequencies.documentFrequency(slot, way));
  const statistics = { norms: docValues, statistics: eligible };
  const today = recentAt === null ? null : dayOfSeconds(recentAt);
  const ranking = rankWhole(frequencies, words, documentFrequency, { ...statistics, today, isQuestion });
  // Each step looks at fewer documents than the one before.
  const titles = storedTitles(store, titlesThatMayDecide(ranking, frequencies, words, limits.titles));
  const whole = byTitleField(ranking, frequencies, words, titles, statistics);
  const passageWeights = passageWeightsOf(words, termVectors.hash, lengthOf, eligible.averageLength, (long, see) =>
    termVectors.eachWithStretches(long, limits.passageBytes, see),
  );
  const textsOf = (those: readonly number[]) => storedTexts(store, those);
  const phrases = new PhraseCheck(question, limits, lengthOf, textsOf, allWords?.together);
  const checked = withPhrases(byPassages(whole, passageWeights, ranking, limits.passages), phrases);
  const beginnings = storedBeginnings(store, beginningsToRead(checked, words, limits.begun), limits.begunCharacters);
  const ranked = byTitles(byNearness(checked, words, ranking.idfs, beginnings), question, titles);
  const first = rowsOf(ranked.slice(0, limits.compared));
  const sketches = areCompared ? orWithout(NO_SKETCHES, () => sketchesOf(store, first)) : NO_SKETCHES;
  const preferred =
    language === null ? ranked : byLanguage(ranked, (row) => sketches.get(row)?.language, language, limits.compared);
  return {
    ...ranking,
    ranked: preferred,
    sketches,
    scored: rows.length,
    unread: rows.length - frequencies.read + phrases.unchecked,
  };
}

/**
 * Returns those of few documents that contain a word, if the index finds them faster or if reading all of them may reach a limit;
 * otherwise all of them.
 */
function holdersOf(
  { eligible, postings, limits }: Search,
  rows: readonly number[],
  words: readonly SlotWords[],
): readonly number[] {
  const all = [...new Set(words.flatMap((word) => wordsOf(word, IN_ANY_FORM)))];
  const isFast = all.length <= rows.length / ENTRIES_OF_A_WORD;
  const mayAllBeRead = eligible.count * eligible.averageLength * BYTES_OF_A_WORD <= limits.weighedBytes;
  if (!isFast && mayAllBeRead) return rows;
  return postings.newest("postings", anyWordOf(all), eligible, { max: rows.length }, all.length);
}
