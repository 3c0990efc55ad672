import { type SlotWords, spellingsOf, withKnown } from "#documents/find/forms.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import type { AskedWords } from "#documents/find/question.ts";
import { LEVELS } from "#documents/index-rules.ts";
import type { Language } from "#documents/languages.ts";
import type { WordHash } from "#documents/word-hash.ts";
import type { Rows } from "#documents-postgres/database.ts";
import type { Entries } from "./entries.ts";
import type { Scope } from "./scope.ts";
import { seenAmong } from "./seen-words.ts";
import { type Frequency, vocabularyFor, type Word } from "./vocabulary.ts";

/** The words of a search with all that stand for them. */
export interface FoundWords {
  readonly words: readonly SlotWords[];
  frequencyOf(word: string): Frequency;
}

const NONE: Frequency = { documents: 0, levels: Array.from({ length: LEVELS }, () => 0) };

/** Of more than are looked for, so many times as many are asked about. */
const ASKED_ABOUT = 8;

/** The most words that are looked for where everything the person may see is weighed: each costs work in every document. */
const NARROW_WORDS_MAX = 400;

/**
 * Looks up completions and forms, the commonest first, and other spellings that some document has.
 *
 * @param isNarrow whether all that the person may see is weighed: other words cost little there, and there are many. Elsewhere a word
 *   that only others may read takes no place of one that this person may
 * @param documents how many the instance has
 */
export async function wordsFor(
  rows: Rows,
  hash: WordHash,
  scope: Scope,
  asked: AskedWords,
  languages: readonly Language[],
  isNarrow: boolean,
  documents: number,
  limits: FindLimits,
): Promise<FoundWords> {
  const { slots, phrases } = asked;
  // Which completions the person may see is told there by the documents that are read (`withSeen`).
  const max = isNarrow
    ? { completions: limits.narrowWords, forms: Math.min(limits.narrowWords, NARROW_WORDS_MAX) }
    : { completions: limits.completions, forms: limits.forms };
  const more = isNarrow ? 1 : ASKED_ABOUT;
  const spellings = spellingsOf(slots, phrases, languages);
  const sought = [...slots.map(({ word }) => word), ...spellings.flat()];
  const { completions, forms, known } = await vocabularyFor(rows, hash, slots, sought, languages, {
    completions: max.completions * more,
    forms: max.forms * more,
    vocabulary: limits.vocabulary,
    documents,
    hasLevels: !isNarrow,
  });
  const bySlot = (words: readonly Word[]) => slots.map((_, at) => words.filter(({ slot }) => slot === at));
  const chosen = (words: readonly Word[], most: number) =>
    isNarrow
      ? bySlot(words).map((list) => list.slice(0, most).map(({ word }) => word))
      : seenAmong(rows, hash, scope, bySlot(words), most);
  const [completing, forming] = await Promise.all([chosen(completions, max.completions), chosen(forms, max.forms)]);
  const found = slots.map(
    (slot, at): SlotWords => ({ ...slot, completions: completing[at] ?? [], forms: [...new Set(forming[at])] }),
  );
  for (const one of [...completions, ...forms]) known.set(one.word, one);
  const words = withKnown(
    found,
    spellings,
    new Set([...known].filter(([, one]) => one.documents > 0).map(([word]) => word)),
  );
  return { words, frequencyOf: (word) => known.get(word) ?? NONE };
}

/**
 * Words with no more completions than are weighed, where everything the person may see was read: those that one of these documents has.
 * A word that only others may read takes no place of one that this person may.
 */
export function withSeen(words: readonly SlotWords[], hash: WordHash, entries: Entries): readonly SlotWords[] {
  if (words.every(({ completions }) => completions.length <= NARROW_WORDS_MAX)) return words;
  const hashes = words.map(({ completions }) => completions.map(hash));
  const seen = entries.heldOf(hashes.flat());
  return words.map((word, slot) => ({
    ...word,
    completions: word.completions.filter((_, at) => seen.has(hashes[slot]?.[at] ?? 0)).slice(0, NARROW_WORDS_MAX),
  }));
}
