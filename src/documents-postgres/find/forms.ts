import { type SlotWords, spellingsOf, withKnown } from "#documents/find/forms.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import type { AskedWords } from "#documents/find/question.ts";
import { LEVELS } from "#documents/index-rules.ts";
import type { Language } from "#documents/languages.ts";
import type { WordHash } from "#documents/word-hash.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { type Completions, type Frequency, type PostedWords, vocabularyFor, wordsOf } from "./vocabulary.ts";

/** The words of a search, with all words that stand for them. */
export interface FoundWords {
  readonly words: readonly SlotWords[];
  frequencyOf(word: string): Frequency;
}

const NONE: Frequency = { documents: 0, levels: Array.from({ length: LEVELS }, () => 0) };

/** The most forms that are looked at: no word has as many. */
const FORMS_MAX = 400;

/**
 * The most completions that are looked for if everything that the person may see is scored: each costs work in every document.
 */
const NARROW_WORDS_MAX = 400;

/**
 * From this many letters on, the documents of completions may be looked up, if there are at most this many completions and their
 * lists are short.
 */
const SOUGHT_LENGTH_MIN = 3;
const SOUGHT_WORDS_MAX = 1000;

/** Chooses words by what the person may see: the most common words of the documents that `learn` has read. */
export interface SeenBy {
  /** Returns those of the hashes that most documents have, among the newest documents that have any of them. */
  holding(words: PostedWords, max: number): Promise<readonly number[]>;
  commonestOf<Word>(words: readonly Word[], hashOf: (word: Word) => number, max: number): readonly Word[];
  /** Reads more documents. @returns whether there were any */
  learn(isOlderRead: boolean): Promise<boolean>;
}

/**
 * Looks up completions and forms, and other spellings that some document has. A word that only others may read never displaces
 * one that this person may read.
 *
 * @param isNarrow whether everything that the person may see is scored: more words cost little then, so many are used
 */
export async function wordsFor(
  rows: Rows,
  hash: WordHash,
  seen: SeenBy,
  asked: AskedWords,
  languages: readonly Language[],
  isNarrow: boolean,
  limits: FindLimits,
): Promise<FoundWords> {
  const { slots, phrases } = asked;
  const max = isNarrow
    ? { completions: NARROW_WORDS_MAX, forms: FORMS_MAX }
    : { completions: limits.completions, forms: limits.forms };
  const spellings = spellingsOf(slots, phrases, languages);
  const sought = [...slots.map(({ word }) => word), ...spellings.flat()];
  const vocabulary = await vocabularyFor(rows, hash, slots, sought, languages, {
    forms: FORMS_MAX,
    vocabulary: limits.vocabulary,
    postedMax: SOUGHT_WORDS_MAX,
    hasLevels: !isNarrow,
  });
  const { known } = vocabulary;
  const completions = new Map<number, readonly string[]>();
  const choose = (beginning: string, { hashes, posted, documents }: Completions) => {
    // If everything in scope is scored, words that the person may not see find nothing, so they don't have to be left out.
    if (isNarrow && hashes.length <= max.completions) return hashes;
    const isSought =
      !isNarrow &&
      Array.from(beginning).length >= SOUGHT_LENGTH_MIN &&
      hashes.length <= SOUGHT_WORDS_MAX &&
      documents <= limits.completedEntries;
    return isSought ? seen.holding({ hashes, posted }, max.completions) : commonestAmong(seen, hashes, max.completions);
  };
  for (const [slot, found] of vocabulary.completions) {
    const chosen = await choose(slots[slot]?.word ?? "", found);
    const frequencies = new Map(
      (chosen.length === 0 ? [] : await wordsOf(rows, chosen, !isNarrow)).map((one) => [one.hash, one]),
    );
    const words = chosen.flatMap((one) => frequencies.get(one) ?? []);
    for (const one of words) known.set(one.word, one);
    completions.set(
      slot,
      words.map(({ word }) => word),
    );
  }
  const found = slots.map((slot, at): SlotWords => {
    const forms = vocabulary.forms.filter((form) => form.slot === at).map(({ word }) => word);
    const chosen = [...new Set([...seen.commonestOf(forms, hash, max.forms), ...forms])].slice(0, max.forms);
    return { ...slot, completions: completions.get(at) ?? [], forms: chosen };
  });
  for (const one of vocabulary.forms) known.set(one.word, one);
  const words = withKnown(
    found,
    spellings,
    new Set([...known].filter(([, one]) => one.documents > 0).map(([word]) => word)),
  );
  return { words, frequencyOf: (word) => known.get(word) ?? NONE };
}

async function commonestAmong(seen: SeenBy, hashes: readonly number[], max: number): Promise<readonly number[]> {
  const choose = () => seen.commonestOf(hashes, (one) => one >>> 0, max);
  await seen.learn(false);
  const chosen = choose();
  return chosen.length < max && (await seen.learn(true)) ? choose() : chosen;
}
