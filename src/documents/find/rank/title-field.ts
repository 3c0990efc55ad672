import { compoundsIn } from "#documents/compounds.ts";
import { IN_ANY_FORM, partsOf, type SlotWords, wordsOf, worthOf } from "#documents/find/query/slot-words.ts";
import { FIELD_WEIGHTS, saturationOf, TITLE_LENGTH, TITLE_WORTH, weightOf } from "#documents/index-rules.ts";
import { occurrencesOf, wordsIn } from "#documents/words.ts";
import type { Beginning } from "./nearness.ts";
import {
  bestFirst,
  type CollectionStatistics,
  type Norms,
  type RankedDocument,
  rowsOf,
  WAY_OF_TIER,
  weightOfTier,
} from "./rank.ts";
import type { TermFrequencies } from "./term-frequencies.ts";
import { SYNONYM_WORTH, TITLE_WORDS_MAX } from "./weights.ts";

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
  const mayGain = ({ at, tier, score }: RankedDocument) => {
    const way = WAY_OF_TIER[tier];
    return words.reduce((sum, _, slot) => {
      const isInTitle = frequencies.count(at, slot, way) >= FIELD_WEIGHTS.title * SYNONYM_WORTH;
      return isInTitle ? sum + TITLE_WORTH * (idfs[slot]?.[way] ?? 0) : sum;
    }, score);
  };
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
  const scored = ranked.map((one) => {
    const { row, at, tier } = one;
    const title = titles.get(row)?.title;
    if (title === undefined) return one;
    const titleWords = wordsIn(title);
    const counts = occurrencesOf([...titleWords, ...compoundsIn(title).map((compound) => compound.word)]);
    const inOneRow = ` ${titleWords.join(" ")} `;
    const countOf = (form: string) =>
      form.includes(" ")
        ? inOneRow.split(` ${form} `).length - 1
        : Math.min(...partsOf(form).map((part) => counts.get(part) ?? 0));
    const ofTitle = saturationOf(titleWords.length, TITLE_LENGTH);
    const ofBody = saturationOf(norms.lengthOf(row), statistics.averageLength);
    const weightIn = (way: number) =>
      words.reduce((sum, word, slot) => {
        const count = frequencies.count(at, slot, way);
        if (count === 0) return sum;
        const inTitle = wordsOf(word, way).reduce((all, form) => all + worthOf(word, form) * countOf(form), 0);
        const inBody = Math.max(count - inTitle * FIELD_WEIGHTS.title, 0);
        const idf = idfs[slot]?.[way] ?? 0;
        return sum + TITLE_WORTH * weightOf(idf, inTitle, ofTitle) + weightOf(idf, inBody, ofBody);
      }, 0);
    const hasTitleWord = words.some((word) => wordsOf(word, IN_ANY_FORM).some((form) => countOf(form) > 0));
    return { ...one, hasTitleWord, score: weightOfTier(tier, weightIn) * recencyOf(row) };
  });
  return scored.sort(bestFirst);
}
