import { rarityOf, saturationOf, weightOf } from "#documents/index-rules.ts";
import type { Admission } from "./admission.ts";
import type { SlotWords } from "./forms.ts";
import type { Passages } from "./passages.ts";
import type { PhraseCheck } from "./phrases.ts";
import { AS_WRITTEN, COMPLETED, IN_ANY_FORM, type Tally } from "./tally.ts";

/**
 * Documents with every word as it was written, then with the unfinished one completed, then with some of the words in any form. In a
 * question all are of the last, so that the score alone decides.
 */
export const EVERY_WORD = 3;
export const EVERY_WORD_COMPLETED = 2;
export const SOME_WORDS = 1;

/**
 * So many words are a question, unless so many documents have all of them. What answers it often lacks one of its words, and what has
 * them all often answers something else.
 */
export const QUESTION_WORDS = 3;
export const QUESTION_DOCUMENTS = 200;

const WAY_OF_TIER = { [EVERY_WORD]: AS_WRITTEN, [EVERY_WORD_COMPLETED]: COMPLETED, [SOME_WORDS]: IN_ANY_FORM } as const;

export interface Ranked {
  readonly row: number;
  readonly tier: typeof EVERY_WORD | typeof EVERY_WORD_COMPLETED | typeof SOME_WORDS;
  readonly score: number;
  /** Whether it has every word, the unfinished one or a completion of it. */
  readonly hasAll: boolean;
  /** Which of the words it holds in any form, a bit each. */
  readonly held: number;
}

/** How many of the documents that count hold a slot's word, in each way. */
export type Holding = (slot: number, way: number) => number;

/** Of two documents that match alike, one of today is worth so much more than one of long ago. */
const RECENT_WORTH = 0.15;
const RECENT_HALF_LIFE_DAYS = 180;

/** What ranking asks about documents. */
export interface Dimensions {
  lengthOf(row: number): number;
  dayOf(row: number): number;
}

/** How many documents count, and how many words these have on average. */
type Counted = Pick<Admission, "count" | "averageLength">;

/** Documents by their weights as a whole, and what their passages are weighed by. */
export interface RankedWhole {
  readonly ranked: readonly Ranked[];
  /** By slot and way. */
  readonly rarities: readonly (readonly number[])[];
  readonly recencyOf: (row: number) => number;
}

/**
 * Orders documents whose words were counted: exact BM25, with the statistics of what the person may see. No document's passages or texts
 * are read for it.
 *
 * @param today the day from which recent updates count, as cells have it; `null`: they do not
 */
export function rankWhole(
  counted: Tally,
  words: readonly SlotWords[],
  holding: Holding,
  {
    cells,
    admission,
    today,
  }: { readonly cells: Dimensions; readonly admission: Counted; readonly today: number | null },
): RankedWhole {
  const rarities = words.map(({ times }, slot) =>
    [AS_WRITTEN, COMPLETED, IN_ANY_FORM].map(
      // What a question repeats is what it is about: it weighs up to three times as much.
      (way) => ((3 * times) / (times + 2)) * rarityOf(admission.count, holding(slot, way)),
    ),
  );
  const recencyOf = (row: number) => recency(cells.dayOf(row), today);
  const hasEvery = (at: number, way: number) => words.every((_, slot) => counted.count(at, slot, way) > 0);
  const isQuestion =
    words.length >= QUESTION_WORDS &&
    !words.some(({ isRequired }) => isRequired) &&
    counted.rows.filter((_, at) => hasEvery(at, COMPLETED)).length < QUESTION_DOCUMENTS;
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
  return { ranked: ranked.sort(bestFirst), rarities, recencyOf };
}

/** How much of a document's weight is that of the words as they were written, whatever other forms count. */
export const WRITTEN_SHARE = 0.2;

/** How much of a long document's weight is that of its best passage. */
const PASSAGE_SHARE = { [EVERY_WORD]: 0.25, [EVERY_WORD_COMPLETED]: 0.25, [SOME_WORDS]: 0.5 } as const;

/** With the weights of the best passages of the first documents. One word stands together wherever it stands. */
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

/** Leaves out what lacks a required phrase or has an unwanted one; what lacks another has not every word as it was asked. */
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

/** The place behind a document, or so many where it is gone. */
export function placeBehind(
  ranked: readonly Ranked[],
  { last, place }: { readonly last: number; readonly place: number },
): number {
  const at = ranked.findIndex(({ row }) => row === last);
  return at < 0 ? Math.max(place - 1, 0) : at + 1;
}
