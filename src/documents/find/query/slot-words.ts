import type { ExcerptTerms } from "#documents/find/page/hits.ts";
import { SYNONYM_WORTH } from "#documents/find/rank/weights.ts";
import type { AskedWords, Slot } from "./question.ts";

/** A word, and the words that stand for it, never the word itself. */
export interface SlotWords extends Slot {
  /** Longer words that it may be the beginning of, words with the same stem, other spellings, and corrections. */
  readonly forms: readonly string[];
}

/** How a document contains a word: as written; or in any form. */
export const AS_WRITTEN = 0;
export const IN_ANY_FORM = 1;

/** Returns the words that count as a slot's word in a way. */
export function wordsOf(word: SlotWords | undefined, way: number): string[] {
  if (!word) return [];
  const { forms, synonyms = [] } = word;
  const written = [word.word, ...synonyms];
  if (way === AS_WRITTEN) return written;
  return [...new Set([...written, ...forms])];
}

/** Stands between words that a document may have anywhere, and that together stand for a compound. */
export const APART = "\u00a0";

/** Returns the words of which a form of another word consists: in a row, or wherever they are. */
export function partsOf(form: string): string[] {
  return form.split(form.includes(APART) ? APART : " ");
}

export function isSeveral(form: string): boolean {
  return form.includes(" ") || form.includes(APART);
}

/** Returns how much an occurrence of a word counts that stands for a slot's. */
export function worthOf({ word, synonyms = [] }: SlotWords, one: string): number {
  return one !== word && synonyms.includes(one) ? SYNONYM_WORTH : 1;
}

/** Returns what an excerpt shows: every word in every form, but words of a phrase only where they are together. */
export function soughtIn(words: readonly SlotWords[], { phrases }: Pick<AskedWords, "phrases">): ExcerptTerms {
  const inPhrases = new Set(phrases.flatMap((phrase) => phrase.words));
  const slots = new Map<string, number>();
  const inARow: string[] = [];
  for (const [slot, word] of words.entries()) {
    if (inPhrases.has(word.word)) continue;
    for (const one of wordsOf(word, IN_ANY_FORM)) {
      if (one.includes(" ")) inARow.push(one);
      else for (const part of partsOf(one)) if (!slots.has(part)) slots.set(part, slot);
    }
  }
  return { words: slots, phrases: [...phrases.map((phrase) => phrase.words), ...inARow.map(partsOf)] };
}
