import type { FindLimits } from "#documents/find/limits.ts";
import type { AskedWords } from "#documents/find/query/question.ts";
import type { SlotWords } from "#documents/find/query/slot-words.ts";
import { type Beginning, beginningsToRead, byNearness } from "./nearness.ts";
import type { PassageWeights } from "./passages.ts";
import type { PhraseCheck } from "./phrases.ts";
import {
  byPassages,
  type CollectionStatistics,
  type DocumentFrequency,
  type Norms,
  type RankedDocument,
  rankWhole,
  withPhrases,
} from "./rank.ts";
import type { TermFrequencies } from "./term-frequencies.ts";
import { byTitleField, titlesThatMayDecide } from "./title-field.ts";
import { byTitles } from "./titles.ts";

/** Collected documents as ranking sees them: counts, and readers for what only the first documents need. */
export interface RankInputs {
  readonly words: readonly SlotWords[];
  readonly question: Pick<AskedWords, "typed">;
  readonly frequencies: TermFrequencies;
  readonly documentFrequency: DocumentFrequency;
  readonly statistics: CollectionStatistics;
  readonly norms: Norms;
  /** The day from which recent updates count, as doc values store it; `null`: they don't count. */
  readonly today: number | null;
  /** Whether the score alone decides; `null`: it is decided from these documents. */
  readonly isQuestion: boolean | null;
  readonly phrases: PhraseCheck;
  readonly passageWeights: PassageWeights;
  readonly limits: Pick<FindLimits, "begun" | "passages" | "titles">;
  readonly titlesOf: (rows: readonly number[]) => ReadonlyMap<number, string>;
  readonly beginningsOf: (rows: readonly number[]) => ReadonlyMap<number, Beginning>;
}

/** Documents in order, best first. */
export interface Order {
  readonly ranked: readonly RankedDocument[];
  /** How many contain every word. */
  readonly every: number;
  /** Whether the score alone decided. */
  readonly isQuestion: boolean;
  /** How many eligible documents contain each word, by slot and way. */
  readonly documentFrequencies: readonly (readonly number[])[];
}

/**
 * Puts documents in order: by BM25 of the whole document, then by the best passages of long ones, phrases, words near each other, and
 * titles that were typed whole. Each step looks at fewer documents than the one before.
 */
export function orderOf({ words, frequencies, phrases, limits, ...inputs }: RankInputs): Order {
  const ranking = rankWhole(frequencies, words, inputs.documentFrequency, inputs);
  const { documentFrequencies, idfs, every, isQuestion } = ranking;
  const titles = inputs.titlesOf(titlesThatMayDecide(ranking, frequencies, words, limits.titles));
  const whole = byTitleField(ranking, frequencies, words, titles, inputs);
  const checked = withPhrases(byPassages(whole, inputs.passageWeights, ranking, limits.passages), phrases);
  const beginnings = inputs.beginningsOf(beginningsToRead(checked, words, limits.begun));
  return {
    ranked: byTitles(byNearness(checked, words, idfs, beginnings), inputs.question, titles),
    every,
    isQuestion,
    documentFrequencies,
  };
}
