import type { Language } from "#documents/languages.ts";
import { bestFirst, type RankedDocument } from "./rank.ts";
import { OWN_LANGUAGE_WORTH } from "./weights.ts";

/** Decides ties and near-ties between the first documents by the language of the person who asks. */
export function byLanguage(
  ranked: readonly RankedDocument[],
  languageOf: (row: number) => Language | null | undefined,
  own: Language,
  max: number,
): readonly RankedDocument[] {
  const first = ranked
    .slice(0, max)
    // Whether the language of a short text is clear must make no difference among texts in one language.
    .map((one) => ((languageOf(one.row) ?? own) === own ? one : { ...one, score: one.score / OWN_LANGUAGE_WORTH }));
  const titled = ({ isTitled = false }: RankedDocument) => Number(isTitled);
  first.sort((one, other) => titled(other) - titled(one) || bestFirst(one, other));
  return [...first, ...ranked.slice(max)];
}
