import { typedWordsIn } from "#documents/compounds.ts";
import { FIELD_WEIGHTS } from "#documents/index-rules.ts";
import { AS_WRITTEN, type SlotWords } from "#documents/find/query/slot-words.ts";
import type { Beginning } from "./nearness.ts";
import type { AskedWords } from "#documents/find/query/question.ts";
import { type RankedDocument, rowsOf } from "./rank.ts";
import type { TermFrequencies } from "./term-frequencies.ts";

/**
 * Returns the first ranked documents whose titles may contain every word, because each counts at least as much as one in a title.
 *
 * @param max how many titles are read
 */
export function titlesToRead(
  ranked: readonly RankedDocument[],
  frequencies: TermFrequencies,
  words: readonly SlotWords[],
  max: number,
): readonly number[] {
  const mayHold = ({ at }: RankedDocument) =>
    words.every((_, slot) => frequencies.count(at, slot, AS_WRITTEN) >= FIELD_WEIGHTS.title);
  return rowsOf(ranked.filter(mayHold)).slice(0, max);
}

/** Moves documents whose whole title was typed to the front. */
export function byTitles(
  ranked: readonly RankedDocument[],
  { typed }: Pick<AskedWords, "typed">,
  titles: ReadonlyMap<number, Pick<Beginning, "title">>,
): readonly RankedDocument[] {
  const rows = new Set([...titles.keys()].filter((row) => lettersOf(titles.get(row)?.title ?? "") === typed));
  return [
    ...ranked.filter(({ row }) => rows.has(row)).map((one) => ({ ...one, isTitled: true })),
    ...ranked.filter(({ row }) => !rows.has(row)),
  ];
}

/** Titles without signs, so that none of their words is read as a symbol. */
const WITHOUT_SIGNS = /^[A-Za-z0-9\s]*$/;

/** Returns a title's letters, read in the same way as those of a query. */
function lettersOf(title: string): string {
  if (WITHOUT_SIGNS.test(title)) return title.toLowerCase().replaceAll(/\s+/g, "");
  return typedWordsIn(title).join("");
}
