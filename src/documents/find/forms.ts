import { hashOf } from "#documents/index-rules.ts";
import { stemOf } from "#documents/stems.ts";
import type { Store } from "#documents/store.ts";
import type { Slot } from "./question.ts";

/** A word, and the others that stand for it: the commonest first, and never itself. */
export interface SlotWords extends Slot {
  /** Longer words of which it may be the beginning. */
  readonly completions: readonly string[];
  /** Words of the same stem. */
  readonly forms: readonly string[];
}

/** The beginning of a word says too little before its second letter. */
const BEGINNING_LENGTH_MIN = 2;

/** Words come into the vocabulary as documents bring them, so those that came first are the commonest. */
export function withOthers(
  store: Store,
  slot: Slot,
  languages: readonly string[],
  max: { readonly completions: number; readonly forms: number; readonly vocabulary: number },
): SlotWords {
  const { word, isRequired, isUnfinished } = slot;
  const isBeginning = isUnfinished && Array.from(word).length >= BEGINNING_LENGTH_MIN;
  return {
    ...slot,
    completions: isBeginning ? completionsOf(store, word, max) : [],
    forms: isRequired ? [] : languages.flatMap((language) => formsOf(store, word, language, max.forms)),
  };
}

function completionsOf(
  store: Store,
  beginning: string,
  max: { readonly completions: number; readonly vocabulary: number },
): string[] {
  return store
    .exec<{ word: string }>(
      `SELECT word FROM (SELECT id, word FROM vocabulary WHERE word > ?1 AND word < ?2 LIMIT ?3) ORDER BY id LIMIT ?4`,
      beginning,
      `${beginning}\u{10ffff}`,
      max.vocabulary,
      max.completions,
    )
    .map(({ word }) => word);
}

function formsOf(store: Store, word: string, language: string, max: number): string[] {
  const stem = stemOf(word, language);
  if (stem === null) return [];
  return store
    .exec<{ word: string }>(
      `SELECT v.word FROM stems s CROSS JOIN vocabulary v ON v.id = s.word
       WHERE s.language = ?1 AND s.stem = ?2 AND v.word <> ?3 ORDER BY s.word LIMIT ?4`,
      language,
      stem,
      word,
      max,
    )
    .map(({ word: form }) => form);
}

export function hashesOf(words: readonly string[]): number[] {
  return words.map(hashOf);
}
