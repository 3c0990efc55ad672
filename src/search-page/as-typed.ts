import { wordsIn } from "#documents/words.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** Letters, with their marks, and digits in a row. */
const WORDS = unicodePattern(String.raw`[\p{L}\p{M}\p{N}_]+`, "gu");

/**
 * Returns a word of a search as the person typed it, because the search knows it only folded: "prufung" for "Prüfung". Returns the folded
 * word if no single word of the query folds to it.
 */
export function asTyped(query: string, folded: string): string {
  const typed = query.match(WORDS())?.find((word) => wordsIn(word).join(" ") === folded);
  return typed ?? folded;
}
