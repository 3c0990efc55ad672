import { typedWordsIn } from "#documents/compounds.ts";
import type { AskedWords } from "#documents/find/query/question.ts";
import type { RankedDocument } from "./rank.ts";

/** Moves documents whose whole title was typed to the front. */
export function byTitles(
  ranked: readonly RankedDocument[],
  { typed }: Pick<AskedWords, "typed">,
  titles: ReadonlyMap<number, string>,
): readonly RankedDocument[] {
  const isTitled = ({ row }: RankedDocument) => lettersOf(titles.get(row) ?? "") === typed;
  const titled = ranked.filter(isTitled);
  const rows = new Set(titled);
  return [...titled.map((one) => ({ ...one, isTitled: true })), ...ranked.filter((one) => !rows.has(one))];
}

/** Titles without signs, so that none of their words is read as a symbol. */
const WITHOUT_SIGNS = /^[A-Za-z0-9\s]*$/;

/** Returns a title's letters, read in the same way as those of a query. */
function lettersOf(title: string): string {
  if (WITHOUT_SIGNS.test(title)) return title.toLowerCase().replaceAll(/\s+/g, "");
  return typedWordsIn(title).join("");
}
