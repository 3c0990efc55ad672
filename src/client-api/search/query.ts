import type { QueryField, QueryText, SearchClause } from "#documents/engine.ts";
import { capitalised, optionIn, symbolIn } from "#documents/compounds.ts";
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

/** The name of a field. Groups of custom metadata may have hyphens and dots: `hr-emea` and its key `status` are `hr-emeastatus`. */
const FIELD = String.raw`[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,199}`;

/** What a program may call something: `queue_run_max`. */
const NAME = unicodePattern(String.raw`[\p{L}\p{N}\p{M}_]+`, "gu");

const PART = unicodePattern(String.raw`(?<=^|\s)((?!${OPTION})-)?(?:(${FIELD}):(?=[^\s:]))?(?:"([^"]*)"?|(\S+))`, "gu");

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
    const isQuoted = phrase !== undefined;
    // Names with such a sign and a number, as in utils.ts:42, are more often words than fields. The engine knows which.
    const mayBeWord = field === undefined || (!isQuoted && /[.-]/.test(field));
    const filter =
      field === undefined || (mayBeWord && strictLeft <= 0)
        ? null
        : { ...toField(field, [phrase ?? word]), isPart: !isQuoted };
    const asWord = field === undefined ? word : `${field}:${word}`;
    const isWord = !isQuoted && mayBeWord && !isUnwanted;
    const symbol = isQuoted || !mayBeWord ? null : symbolIn(asWord);
    const terms =
      symbol !== null
        ? [[symbol]]
        : (isWord ? termsIn(withoutEndings(asWord)) : [`${field ?? ""} ${phrase ?? word}`]).map(wordsIn);
    for (const term of terms) {
      if (term.length === 0) continue;
      const isStrict = isQuoted || isUnwanted || !mayBeWord;
      const words = term.slice(0, isStrict ? Math.min(left, strictLeft) : left);
      if (left === 0) return clauses;
      if (words.length === 0) continue;
      left -= words.length;
      if (isStrict) strictLeft -= words.length;
      else if (filter !== null) strictLeft -= 1;
      const isUnfinished = isLast && isWord && terms.length === 1 && words.length === 1;
      const names = isWord && terms.length === 1 ? namesIn(asWord, words, text) : [];
      clauses.push({
        isUnwanted,
        text: {
          words,
          isQuoted,
          isUnfinished,
          ...(names.length > 0 && { names }),
        },
        filter,
      });
    }
  }
  return clauses;
}

/** Returns which words of a typed word are one name: an option, a word in capitals, or by underscores. */
function namesIn(typed: string, words: readonly string[], query: string): NonNullable<QueryText["names"]> {
  // In a query that isn't all in capitals, IT means something else than "it".
  const capitals = words.length === 1 && query !== query.toUpperCase() ? capitalised(typed) : null;
  if (capitals !== null) return [[0, 1, capitals]];
  // "--jobs=4" and "--force," begin with an option.
  const [begun = ""] = typed.split(/[^\w-]/, 1);
  const option = optionIn(begun);
  if (option !== null) return [[0, wordsIn(begun).length, option]];
  const names: [number, number, string][] = [];
  let at = 0;
  for (const [name] of typed.includes("_") ? typed.matchAll(NAME()) : []) {
    const from = at;
    at += wordsIn(name).length;
    if (at - from > 1 && at <= words.length) names.push([from, at, words.slice(from, at).join("")]);
  }
  return names;
}

/** Returns a filter as the index compares it: by whole values or by their words, which depends on the field. */
export function toField(name: string, values: readonly string[]): QueryField {
  return { field: foldTerm(name), values: values.map((value) => ({ whole: foldTerm(value), words: wordsIn(value) })) };
}
