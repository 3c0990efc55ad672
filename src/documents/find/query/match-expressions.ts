import { quoted } from "#documents/index-rules.ts";
import type { Phrase, Question } from "./question.ts";
import { APART, AS_WRITTEN, partsOf, type SlotWords, wordsOf } from "./slot-words.ts";

/** Expressions for FTS5, which consist of quoted words only. */

export function anyWordOf(words: readonly string[]): string {
  return `(${words.map(formOf).join(" OR ")})`;
}

/** Returns an expression for a word, words in a row, or words that a document has anywhere. */
export function formOf(form: string): string {
  return form.includes(APART) ? `(${partsOf(form).map(quoted).join(" AND ")})` : quoted(form);
}

/** Returns an expression for documents with all words as written, and all phrases. */
export function togetherExpression(words: readonly SlotWords[], { phrases, unwanted }: Question): string {
  const inPhrases = new Set(phrases.flatMap((phrase) => phrase.words));
  const alone = words.filter(({ word }) => !inPhrases.has(word));
  return without([...alone.map((word) => anyWordOf(wordsOf(word, AS_WRITTEN))), ...phrases.map(inARow)], unwanted);
}

/** Returns an expression for documents with everything that was in quotes; `null`: nothing was. */
export function requiredExpression(words: readonly SlotWords[], { phrases, unwanted }: Question): string | null {
  const required = phrases.filter(({ isRequired }) => isRequired);
  const inPhrases = new Set(required.flatMap((phrase) => phrase.words));
  const alone = words.filter(({ word, isRequired }) => isRequired && !inPhrases.has(word));
  const parts = [...alone.map(({ word }) => quoted(word)), ...required.map(inARow)];
  return parts.length === 0 ? null : without(parts, unwanted);
}

function without(parts: readonly string[], unwanted: Question["unwanted"]): string {
  const all = parts.join(" AND ");
  return unwanted.length === 0
    ? all
    : `(${all}) NOT (${unwanted.map((words) => quoted(words.join(" "))).join(" OR ")})`;
}

function inARow({ words }: Phrase): string {
  return quoted(words.join(" "));
}
