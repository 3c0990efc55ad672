import { rarityOf, saturationOf, weightOf } from "#documents/index-rules.ts";
import type { Admission } from "./admission.ts";
import type { SlotWords } from "./forms.ts";
import type { Passages } from "./passages.ts";
import type { PhraseCheck } from "./phrases.ts";
import { AS_WRITTEN, COMPLETED, IN_ANY_FORM, type Tally } from "./tally.ts";

/**
 * The tiers of documents: with every word as written, then with the unfinished one completed, then with some of the words in any form.
 * For a question, all documents are in the last tier, so that the score alone decides.
 */
export const EVERY_WORD = 3;
export const EVERY_WORD_COMPLETED = 2;
export const SOME_WORDS = 1;

/**
 * A search with this many words is a question, unless this many documents have all of them. What answers a question often lacks one of
 * its words, and what has them all is often about something else.
 */
export const QUESTION_WORDS = 3;
export const QUESTION_DOCUMENTS = 200;

const WAY_OF_TIER = { [EVERY_WORD]: AS_WRITTEN, [EVERY_WORD_COMPLETED]: COMPLETED, [SOME_WORDS]: IN_ANY_FORM } as const;

export interface Ranked {
  readonly row: number;
  readonly tier: typeof EVERY_WORD | typeof EVERY_WORD_COMPLETED | typeof SOME_WORDS;
  readonly score: number;
  /** Whether it contains every word, or a completion of the unfinished one. */
  readonly hasAll: boolean;
  /** Which of the words it contains in any form, one bit each. */
  readonly held: number;
  /** Whether its whole title was typed. */
  readonly isTitled?: boolean;
}

/** Returns how many admitted documents contain a slot's word, in each way. */
export type Holding = (slot: number, way: number) => number;

/** By how much the score of a document increases if it was updated today, compared with one from long ago. */
const RECENT_WORTH = 0.15;
const RECENT_HALF_LIFE_DAYS = 180;

/** What ranking needs to know about documents. */
export interface Dimensions {
  lengthOf(row: number): number;
  dayOf(row: number): number;
}

/** How many documents are admitted, and their average number of words. */
type Counted = Pick<Admission, "count" | "averageLength">;

/** Documents by their scores as a whole, and the inputs for scoring their passages. */
export interface RankedWhole {
  readonly ranked: readonly Ranked[];
  /** By slot and way. */
  readonly rarities: readonly (readonly number[])[];
  readonly recencyOf: (row: number) => number;
  /** How many contain every word. */
  readonly every: number;
  /** Whether the score alone decides. */
  readonly isQuestion: boolean;
}

/** Checks whether a search asks a question, of which documents are good answers that lack one of the words. */
export function isQuestionOf(words: readonly SlotWords[], every: number): boolean {
  return words.length >= QUESTION_WORDS && !words.some(({ isRequired }) => isRequired) && every < QUESTION_DOCUMENTS;
}

/**
 * Ranks documents whose words were counted, by exact BM25 with the statistics of what the person may see. Reads no passages or texts.
 *
 * @param today the day from which recent updates count, as stored in cells; `null`: they don't count
 * @param isQuestion whether the score alone decides; `null`: it is decided from these documents
 */
export function rankWhole(
  counted: Tally,
  words: readonly SlotWords[],
  holding: Holding,
  {
    cells,
    admission,
    today,
    isQuestion: decided = null,
  }: {
    readonly cells: Dimensions;
    readonly admission: Counted;
    readonly today: number | null;
    readonly isQuestion?: boolean | null;
  },
): RankedWhole {
  const rarities = words.map(({ times }, slot) =>
    [AS_WRITTEN, COMPLETED, IN_ANY_FORM].map(
      // What a question repeats is what it is about, so it weighs up to three times as much.
      (way) => ((3 * times) / (times + 2)) * rarityOf(admission.count, holding(slot, way)),
    ),
  );
  const recencyOf = (row: number) => recency(cells.dayOf(row), today);
  const hasEvery = (at: number, way: number) => words.every((_, slot) => counted.count(at, slot, way) > 0);
  const every = counted.rows.filter((_, at) => hasEvery(at, COMPLETED)).length;
  const isQuestion = decided ?? isQuestionOf(words, every);
  const ranked: Ranked[] = [];
  for (const [at, row] of counted.rows.entries()) {
    const holds = (way: number, slot: number) => counted.count(at, slot, way) > 0;
    if (words.some(({ isRequired }, slot) => isRequired && !holds(AS_WRITTEN, slot))) continue;
    const held = words.reduce((bits, _, slot) => (holds(IN_ANY_FORM, slot) ? bits | (1 << slot) : bits), 0);
    if (held === 0) continue;
    const hasAll = hasEvery(at, COMPLETED);
    const tier = isQuestion || !hasAll ? SOME_WORDS : hasEvery(at, AS_WRITTEN) ? EVERY_WORD : EVERY_WORD_COMPLETED;
    const saturation = saturationOf(cells.lengthOf(row), admission.averageLength);
    const weightIn = (way: number) =>
      words.reduce((sum, _, slot) => {
        const count = counted.count(at, slot, way);
        return count === 0 ? sum : sum + weightOf(rarities[slot]?.[way] ?? 0, count, saturation);
      }, 0);
    const weight = (1 - WRITTEN_SHARE) * weightIn(WAY_OF_TIER[tier]) + WRITTEN_SHARE * weightIn(AS_WRITTEN);
    ranked.push({ row, tier, hasAll, score: weight * recencyOf(row), held });
  }
  return { ranked: ranked.sort(bestFirst), rarities, recencyOf, every, isQuestion };
}

/** The share of a document's score that comes from the words as written, whatever other forms count. */
export const WRITTEN_SHARE = 0.2;

/** The share of a long document's score that comes from its best passage. */
const PASSAGE_SHARE = { [EVERY_WORD]: 0.25, [EVERY_WORD_COMPLETED]: 0.25, [SOME_WORDS]: 0.5 } as const;

/** Adds the scores of the best passages of the first documents. They make no difference to a search for one word. */
export function byPassages(
  ranked: readonly Ranked[],
  passages: Passages,
  rarities: readonly (readonly number[])[],
  recencyOf: (row: number) => number,
): readonly Ranked[] {
  if (rarities.length === 1) return ranked;
  const first = ranked.slice(0, passages.documents);
  const weights = new Map(
    [...Map.groupBy(first, ({ tier }) => tier)].flatMap(([tier, of]) => {
      const way = WAY_OF_TIER[tier];
      return [
        ...passages.weights(
          rowsOf(of),
          way,
          rarities.map((ways) => ways[way] ?? 0),
        ),
      ];
    }),
  );
  return ranked
    .map((one) => {
      const weight = weights.get(one.row);
      if (weight === undefined) return one;
      const share = PASSAGE_SHARE[one.tier];
      return { ...one, score: (1 - share) * one.score + share * weight * recencyOf(one.row) };
    })
    .sort(bestFirst);
}

export function rowsOf(ranked: readonly Ranked[]): readonly number[] {
  return ranked.map(({ row }) => row);
}

export function bestFirst(one: Ranked, other: Ranked): number {
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
export function withPhrases(ranked: readonly Ranked[], phrases: PhraseCheck): Ranked[] {
  phrases.expect(ranked.map(({ row, hasAll }) => ({ row, mayHaveAll: hasAll })));
  return ranked
    .flatMap((one): Ranked | [] => {
      const verdict = phrases.verdict(one.row, one.hasAll);
      if (verdict === null) return [];
      return verdict === one.hasAll ? one : { ...one, tier: SOME_WORDS, hasAll: false };
    })
    .sort(bestFirst);
}

/** Returns the position after a document, or if that is gone or has another id, the position that it had. */
export function placeBehind(
  ranked: readonly Ranked[],
  { ids, last, place }: { readonly ids: number; readonly last: number; readonly place: number },
  idsNow: number,
): number {
  if (ids !== idsNow) return place;
  const at = ranked.findIndex(({ row }) => row === last);
  return at < 0 ? Math.max(place - 1, 0) : at + 1;
}
