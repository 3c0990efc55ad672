import { type Language, USUAL_LANGUAGES } from "#documents/languages.ts";
import { moveState, stateOf } from "#documents/state.ts";
import { stemOf } from "#documents/stems.ts";
import { type Store, unpeeked } from "#documents/store.ts";

/** How many words one step learns the forms of, in one language. */
const WORDS_A_STEP = 500;

export interface Word {
  readonly id: number;
  readonly word: string;
}

/** Returns the languages of an instance; the usual ones if no search has asked for another. */
function languagesOf(store: Store): readonly Language[] {
  const chosen = store.exec<{ language: Language }>("SELECT language FROM languages");
  return chosen.length === 0 ? USUAL_LANGUAGES : chosen.map(({ language }) => language);
}

/**
 * The most words that are kept. The most common ones come first. A word beyond the limit is found as written, but completes no
 * beginning and isn't a form of another word. With their forms, the words take some 300 megabytes.
 */
export const WORDS_MAX = 3_000_000;

/** New words that one step learns, so that others don't wait long: each costs as much as fifty characters of a text. */
const NEW_WORDS_A_STEP = 500;

/** How many new words a step may still learn, for all of its documents together. */
export class NewWords {
  left = NEW_WORDS_A_STEP;
}

/**
 * Adds words that are new to the vocabulary, and their stems.
 *
 * @returns `false` if there may be more new words than the step may learn: `learnNext` learns the rest
 */
export function learnWords(store: Store, words: readonly string[], allowed = new NewWords()): boolean {
  if (stateOf(store, "words") >= WORDS_MAX) return true;
  if (allowed.left === 0) return false;
  const added = store.exec<Word & Record<string, unknown>>(
    `INSERT OR IGNORE INTO vocabulary (word) SELECT value FROM json_each(?1)
     WHERE NOT EXISTS (SELECT 1 FROM vocabulary v WHERE v.word = value) LIMIT ${unpeeked("?2")} RETURNING id, word`,
    JSON.stringify(words),
    allowed.left,
  );
  if (added.length === 0) return true;
  allowed.left -= added.length;
  moveState(store, "words", added.length);
  learnForms(store, languagesOf(store), added);
  return allowed.left > 0;
}

/**
 * Takes up languages that no search has asked for before. From now on, new words are stored with their stems in these as well, and
 * {@link learnLanguages} goes through the existing words.
 *
 * @returns whether there is something to learn
 */
export function takeUpLanguages(store: Store, languages: readonly Language[]): boolean {
  const known = new Set(languagesOf(store));
  const added = languages.filter((language) => !known.has(language));
  if (added.length === 0) return false;
  for (const language of known) {
    store.exec("INSERT OR IGNORE INTO languages (language, learnt) VALUES (?1, NULL)", language);
  }
  for (const language of added) store.exec("INSERT INTO languages (language, learnt) VALUES (?1, 0)", language);
  return true;
}

/**
 * Learns the forms of some words in a language that was taken up.
 *
 * @returns whether everything is learnt
 */
export function learnLanguages(store: Store): boolean {
  const [next] = store.exec<{ language: Language; learnt: number }>(
    "SELECT language, learnt FROM languages WHERE learnt IS NOT NULL LIMIT 1",
  );
  if (!next) return true;
  const words = store.exec<Word & Record<string, unknown>>(
    `SELECT id, word FROM vocabulary WHERE id > ?1 ORDER BY id LIMIT ${WORDS_A_STEP}`,
    next.learnt,
  );
  learnForms(store, [next.language], words);
  const learnt = words.length < WORDS_A_STEP ? null : (words.at(-1)?.id ?? null);
  store.exec("UPDATE languages SET learnt = ?2 WHERE language = ?1", next.language, learnt);
  return false;
}

/** Forgets a word that no document has any more. */
export function forgetWord(store: Store, { id, word }: Word): void {
  for (const language of languagesOf(store)) {
    const statement = "DELETE FROM stems WHERE language = ?1 AND stem = ?2 AND word = ?3";
    store.exec(statement, language, stemOf(word, language), id);
  }
  store.exec("DELETE FROM vocabulary WHERE id = ?1", id);
  moveState(store, "words", -1);
}

function learnForms(store: Store, languages: readonly Language[], words: readonly Word[]): void {
  const stems = languages.flatMap((language) =>
    words.map(({ id, word }) => [language, stemOf(word, language), id]).filter(([, stem]) => stem !== null),
  );
  store.exec(
    `INSERT OR IGNORE INTO stems (language, stem, word) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1)`,
    JSON.stringify(stems),
  );
}
