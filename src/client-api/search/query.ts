import type { QueryField, SearchClause } from "#documents/engine.ts";
import { symbolIn } from "#documents/compounds.ts";
import { termsIn, withoutEndings, wordsIn } from "#documents/words.ts";
import { foldTerm } from "#protocol/folding.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/**
 * The most words that are read of a query: as many as several paragraphs have. The engine searches for those that tell most.
 */
const WORDS_MAX = 400;

/** The most of these words that may be quoted, unwanted or in a field: the engine leaves none of them out. */
const STRICT_WORDS_MAX = 24;

/**
 * Options of commands that people look up: "git commit -a", "git push --force". Nobody types these to leave a word out.
 */
const OPTION = String.raw`-(?:-|[A-Za-z](?!\S))`;

const PART = unicodePattern(
  String.raw`(?<=^|\s)((?!${OPTION})-)?(?:([\p{L}\p{N}_]{1,200}):(?=[^\s:]))?(?:"([^"]*)"?|(\S+))`,
  "gu",
);

/**
 * Splits a typed query into its parts: words, `"exact phrases"`, `field:value`, `field:"two words"`, and `-unwanted` ones of any
 * kind; `-a` and `--force` are words. The last word may be unfinished, unless a space follows it.
 */
export function parseQuery(text: string): SearchClause[] {
  const clauses: SearchClause[] = [];
  let left = WORDS_MAX;
  let strictLeft = STRICT_WORDS_MAX;
  for (const part of text.matchAll(PART())) {
    const [whole, minus, field, phrase, word = ""] = part;
    const isLast = part.index + whole.length === text.length;
    const isUnwanted = minus === "-";
    const filter = field === undefined ? null : toField(field, [phrase ?? word]);
    const isQuoted = phrase !== undefined;
    const isWord = !isQuoted && field === undefined && !isUnwanted;
    const symbol = isQuoted || field !== undefined ? null : symbolIn(word);
    const terms =
      symbol !== null
        ? [[symbol]]
        : (isWord ? termsIn(withoutEndings(word)) : [`${field ?? ""} ${phrase ?? word}`]).map(wordsIn);
    for (const term of terms) {
      if (term.length === 0) continue;
      const isStrict = isQuoted || isUnwanted || field !== undefined;
      const words = term.slice(0, isStrict ? Math.min(left, strictLeft) : left);
      if (left === 0) return clauses;
      if (words.length === 0) continue;
      left -= words.length;
      if (isStrict) strictLeft -= words.length;
      const isUnfinished = isLast && isWord && terms.length === 1 && words.length === 1;
      clauses.push({ isUnwanted, text: { words, isQuoted, isUnfinished }, filter });
    }
  }
  return clauses;
}

/** Returns a filter as the index compares it: by whole values or by their words, which depends on the field. */
export function toField(name: string, values: readonly string[]): QueryField {
  return { field: foldTerm(name), values: values.map((value) => ({ whole: foldTerm(value), words: wordsIn(value) })) };
}
