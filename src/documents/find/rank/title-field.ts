import { compoundsIn } from "#documents/compounds.ts";
import { AS_WRITTEN, IN_ANY_FORM, type SlotWords, wordsOf } from "#documents/find/query/slot-words.ts";
import { FIELD_WEIGHTS, saturationOf, TITLE_LENGTH, TITLE_WORTH, weightOf } from "#documents/index-rules.ts";
import { wordsIn } from "#documents/words.ts";
import type { Beginning } from "./nearness.ts";
import { bestFirst, type CollectionStatistics, type Norms, type RankedDocument, rowsOf, WAY_OF_TIER } from "./rank.ts";
import type { TermFrequencies } from "./term-frequencies.ts";
import { TITLE_WORDS_MAX, WRITTEN_SHARE } from "./weights.ts";

/** Checks whether titles are fields of their own for these words. In longer questions, they count like the text around them. */
export function isTitleField(words: readonly SlotWords[]): boolean {
  return words.length <= TITLE_WORDS_MAX && !words.some(({ isRequired }) => isRequired);
}

/**
 * Returns the ranked documents that may be first once their titles are known: each word that counts as much as one in a title is taken for
 * one in a title of average length.
 *
 * @param max how many titles are read
 */
export function titlesThatMayDecide(
  ranked: readonly RankedDocument[],
  frequencies: TermFrequencies,
  words: readonly SlotWords[],
  idfs: readonly (readonly number[])[],
  max: number,
): readonly number[] {
  if (ranked.length <= max) return rowsOf(ranked);
  const places = new Map(frequencies.rows.map((row, at) => [row, at]));
  const mayGain = ({ row, tier, score }: RankedDocument) =>
    words.reduce((sum, _, slot) => {
      const count = frequencies.count(places.get(row) ?? 0, slot, WAY_OF_TIER[tier]);
      return count < FIELD_WEIGHTS.title ? sum : sum + TITLE_WORTH * (idfs[slot]?.[WAY_OF_TIER[tier]] ?? 0);
    }, score);
  return rowsOf(
    ranked
      .map((one) => ({ ...one, score: mayGain(one) }))
      .sort(bestFirst)
      .slice(0, max),
  );
}

/**
 * Scores the first documents again, with the title as a field of its own length beside the body: BM25 of both is added. In one field
 * with a long body, even ten occurrences in the title say little.
 *
 * @param titles of the first documents
 */
export function byTitleField(
  ranked: readonly RankedDocument[],
  frequencies: TermFrequencies,
  words: readonly SlotWords[],
  idfs: readonly (readonly number[])[],
  titles: ReadonlyMap<number, Pick<Beginning, "title">>,
  {
    norms,
    statistics,
    recencyOf,
  }: {
    readonly norms: Norms;
    readonly statistics: CollectionStatistics;
    readonly recencyOf: (row: number) => number;
  },
): readonly RankedDocument[] {
  const counted = new Map([...titles].map(([row, { title }]) => [row, countsIn(title)]));
  const places = new Map(frequencies.rows.map((row, at) => [row, at]));
  const first = ranked.filter(({ row }) => counted.has(row));
  const rest = ranked.filter(({ row }) => !counted.has(row));
  const scored = first.map((one) => {
    const { row, tier } = one;
    const title = counted.get(row) ?? NO_TITLE;
    const ofTitle = saturationOf(title.length, TITLE_LENGTH);
    const ofBody = saturationOf(norms.lengthOf(row), statistics.averageLength);
    const weightIn = (way: number) =>
      words.reduce((sum, word, slot) => {
        const count = frequencies.count(places.get(row) ?? 0, slot, way);
        if (count === 0) return sum;
        const inTitle = wordsOf(word, way).reduce((all, form) => all + (title.counts.get(form) ?? 0), 0);
        const inBody = Math.max(count - inTitle * FIELD_WEIGHTS.title, 0);
        const idf = idfs[slot]?.[way] ?? 0;
        return sum + TITLE_WORTH * weightOf(idf, inTitle, ofTitle) + weightOf(idf, inBody, ofBody);
      }, 0);
    const weight = (1 - WRITTEN_SHARE) * weightIn(WAY_OF_TIER[tier]) + WRITTEN_SHARE * weightIn(AS_WRITTEN);
    const hasTitleWord = words.some((word) => wordsOf(word, IN_ANY_FORM).some((form) => title.counts.has(form)));
    return { ...one, hasTitleWord, score: weight * recencyOf(row) };
  });
  return [...scored, ...rest].sort(bestFirst);
}

interface TitleCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

const NO_TITLE: TitleCounts = { counts: new Map(), length: 1 };

function countsIn(title: string): TitleCounts {
  const words = wordsIn(title);
  const counts = new Map<string, number>();
  for (const word of [...words, ...compoundsIn(title).map((compound) => compound.word)]) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return { counts, length: words.length };
}
