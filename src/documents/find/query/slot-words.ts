import type { ExcerptTerms } from "#documents/find/page/hits.ts";
import type { AskedWords, Slot } from "./question.ts";

/** A word, and the words that stand for it: the most common first, and never the word itself. */
export interface SlotWords extends Slot {
  /** Longer words that it may be the beginning of. */
  readonly completions: readonly string[];
  /** Words with the same stem, other spellings, and corrections. */
  readonly forms: readonly string[];
}

/** How a document contains a word: as written; as written or completed; in any form. */
export const AS_WRITTEN = 0;
export const COMPLETED = 1;
export const IN_ANY_FORM = 2;

/** Returns the words that count as a slot's word in a way. */
export function wordsOf(word: SlotWords | undefined, way: number): string[] {
  if (!word) return [];
  if (way === AS_WRITTEN) return [word.word];
  if (way === COMPLETED) return [word.word, ...word.completions];
  return [...new Set([word.word, ...word.completions, ...word.forms])];
}

/** Returns what an excerpt shows: every word in every form, but words of a phrase only where they are together. */
export function soughtIn(words: readonly SlotWords[], { phrases }: Pick<AskedWords, "phrases">): ExcerptTerms {
  const inPhrases = new Set(phrases.flatMap((phrase) => phrase.words));
  const slots = new Map<string, number>();
  for (const [slot, { word, completions, forms }] of words.entries()) {
    if (inPhrases.has(word)) continue;
    for (const one of [word, ...completions, ...forms]) if (!slots.has(one)) slots.set(one, slot);
  }
  return { words: slots, phrases: phrases.map((phrase) => phrase.words) };
}
