import { compoundsIn } from "#documents/compounds.ts";
import {
  AS_WRITTEN,
  IN_ANY_FORM,
  partsOf,
  type SlotWords,
  wordsOf,
  worthOf,
} from "#documents/find/query/slot-words.ts";
import { FIELD_WEIGHTS, idfOf, saturationOf, TITLE_LENGTH, TITLE_WORTH, weightOf } from "#documents/index-rules.ts";
import { occurrencesOf, wordsIn } from "#documents/words.ts";
import {
  bestFirst,
  type CollectionStatistics,
  EVERY_WORD,
  type Norms,
  type RankedDocument,
  type Ranking,
  rowsOf,
  SOME_WORDS,
  WAY_OF_TIER,
  weightOfTier,
} from "./rank.ts";
import type { TermFrequencies } from "./term-frequencies.ts";
import { ASKED_TITLE_WORTH, MANY_DOCUMENTS, SYNONYM_WORTH, TITLE_WORDS_MAX } from "./weights.ts";

/** Returns how many of the words a title needs to be a field of its own. In questions, most titles count like the text around them. */
function neededInTitle({ length }: readonly SlotWords[]): number {
  return length > TITLE_WORDS_MAX ? length - 1 : 0;
}

/**
 * Returns the ranked documents that may be first once their titles are known: each word that counts as much as one in a title is taken for
 * one in a title of average length.
 *
 * @param max how many titles are read
 */
export function titlesThatMayDecide(
  { ranked, idfs }: Ranking,
  frequencies: TermFrequencies,
  words: readonly SlotWords[],
  max: number,
): readonly number[] {
  const needed = neededInTitle(words);
  const gains = ranked.flatMap((one) => {
    const way = WAY_OF_TIER[one.tier];
    const slots = [...words.keys()].filter(
      (slot) => frequencies.count(one.at, slot, way) >= FIELD_WEIGHTS.title * SYNONYM_WORTH,
    );
    if (slots.length < needed) return [];
    return { ...one, score: slots.reduce((sum, slot) => sum + TITLE_WORTH * (idfs[slot]?.[way] ?? 0), one.score) };
  });
  if (gains.length <= max) return rowsOf(gains);
  return rowsOf(gains.sort((one, other) => other.score - one.score || other.row - one.row).slice(0, max));
}

/** How often a title has each word, by slot and way. */
interface TitleCounts {
  readonly length: number;
  readonly counts: readonly (readonly number[])[];
  /** How many of the words it has in any form. */
  readonly held: number;
  /** Whether it says nothing else. Numbers of chapters say nothing. */
  readonly isAsked: boolean;
}

/**
 * Scores the first documents again, with the title as a field beside the body: BM25 of both is added, each with its own length and idf. In
 * one field with a long body, even ten occurrences in the title say little. A document whose title says nothing but what was typed is
 * among those with every word, unless these are many: a page about one product seldom names the product.
 *
 * @param titles of the first documents
 */
export function byTitleField(
  { ranked, idfs, documentFrequencies, recencyOf, isQuestion, every }: Ranking,
  frequencies: TermFrequencies,
  words: readonly SlotWords[],
  titles: ReadonlyMap<number, string>,
  { norms, statistics }: { readonly norms: Norms; readonly statistics: CollectionStatistics },
): readonly RankedDocument[] {
  if (titles.size === 0 || words.some(({ isRequired }) => isRequired)) return ranked;
  const read = new Map(Array.from(titles, ([row, title]) => [row, countsOf(title, words)]));
  const titleIdfs = words.map((_, slot) => {
    // Of the documents with a word, as many have it in their titles as of those that were collected.
    const titled = [...read.values()].filter(({ counts }) => (counts[slot]?.[IN_ANY_FORM] ?? 0) > 0).length;
    const share = titled / Math.max(frequencies.documentFrequency(slot, IN_ANY_FORM), 1);
    return idfOf(statistics.count, (documentFrequencies[slot]?.[IN_ANY_FORM] ?? 0) * share);
  });
  const needed = neededInTitle(words);
  const scored = ranked.map((one): RankedDocument => {
    const { row, at } = one;
    const title = read.get(row);
    if (!title || title.held < needed || (needed > 0 && !title.isAsked)) return one;
    const ofTitle = saturationOf(title.length, TITLE_LENGTH);
    const ofBody = saturationOf(norms.lengthOf(row), statistics.averageLength);
    const weightIn = (way: number) =>
      words.reduce((sum, _, slot) => {
        const count = frequencies.count(at, slot, way);
        if (count === 0) return sum;
        const inTitle = title.counts[slot]?.[way] ?? 0;
        const inBody = weightOf(idfs[slot]?.[way] ?? 0, Math.max(count - inTitle * FIELD_WEIGHTS.title, 0), ofBody);
        return sum + TITLE_WORTH * weightOf(titleIdfs[slot] ?? 0, inTitle, ofTitle) + inBody;
      }, 0);
    const isFirst = title.isAsked && !isQuestion && every > 0 && every < MANY_DOCUMENTS && one.tier === SOME_WORDS;
    const worth = title.isAsked && words.length > 1 ? ASKED_TITLE_WORTH : 1;
    const score = weightOfTier(one.tier, weightIn) * worth * recencyOf(row);
    return { ...one, tier: isFirst ? EVERY_WORD : one.tier, hasTitleWord: title.held > 0, score };
  });
  return scored.sort(bestFirst);
}

/** What the numbers of chapters consist of. */
const IN_NUMBERS = /^(?:[a-z]|\d+)$/;

function countsOf(title: string, words: readonly SlotWords[]): TitleCounts {
  const titleWords = wordsIn(title);
  const compounds = compoundsIn(title);
  const occurrences = occurrencesOf([...titleWords, ...compounds.map(({ word }) => word)]);
  const inOneRow = ` ${titleWords.join(" ")} `;
  const countOf = (form: string) =>
    form.includes(" ")
      ? inOneRow.split(` ${form} `).length - 1
      : Math.min(...partsOf(form).map((part) => occurrences.get(part) ?? 0));
  const counts = words.map((word) =>
    [AS_WRITTEN, IN_ANY_FORM].map((way) =>
      wordsOf(word, way).reduce((all, form) => all + worthOf(word, form) * countOf(form), 0),
    ),
  );
  const held = counts.filter((ways) => (ways[IN_ANY_FORM] ?? 0) > 0).length;
  const sought = new Set(words.flatMap((word) => wordsOf(word, IN_ANY_FORM)));
  const rest = compounds
    .filter(({ word }) => sought.has(word))
    .reduce((left, { start, end }) => left.slice(0, start) + " ".repeat(end - start) + left.slice(end), title);
  const isAsked = held > 0 && wordsIn(rest).every((word) => sought.has(word) || IN_NUMBERS.test(word));
  return { length: titleWords.length, counts, held, isAsked };
}
