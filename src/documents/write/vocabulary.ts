import { type Language, USUAL_LANGUAGES } from "#documents/languages.ts";
import { moveState, stateOf, type Store, unpeeked } from "#documents/store.ts";
import { stemOf } from "#documents/stems.ts";
import { LEARNING_WORK, WORK } from "#documents/work.ts";

/** How many words one step learns the forms of, in one language. */
const WORDS_A_STEP = 500;

/** What a step may still spend on new words. */
export interface Learning {
  learning: number;
}

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

/** Words that are learnt at once. What {@link learnWords} leaves is kept in lists of this length. */
const WORDS_AT_ONCE = 200;

/**
 * Adds words that are new to the vocabulary, and their stems.
 *
 * @returns those that are left because the step has no more time: `learnNext` learns them
 */
export function learnWords(
  store: Store,
  words: readonly string[],
  step: Learning = { learning: LEARNING_WORK },
): readonly string[] {
  const languages = languagesOf(store);
  const each = WORK.learnt * (1 + languages.length);
  let from = 0;
  while (from < words.length && step.learning > 0) {
    if (stateOf(store, "words") >= WORDS_MAX) return [];
    const next = words.slice(from, from + WORDS_AT_ONCE);
    const added = store.exec<Word & Record<string, unknown>>(
      `INSERT OR IGNORE INTO vocabulary (word) SELECT value FROM json_each(?1)
       WHERE NOT EXISTS (SELECT 1 FROM vocabulary v WHERE v.word = value) LIMIT ${unpeeked("?2")} RETURNING id, word`,
      JSON.stringify(next),
      Math.ceil(step.learning / each),
    );
    step.learning -= next.length * WORK.lookedUp + added.length * each;
    if (added.length > 0) {
      moveState(store, "words", added.length);
      learnForms(store, languages, added);
    }
    // If the limit was reached, the words after the last new one weren't looked at.
    const last = added.at(-1)?.word;
    from += step.learning > 0 || last === undefined ? next.length : next.indexOf(last) + 1;
  }
  return words.slice(from);
}

/** Learns words, and leaves those to the alarm for which the step has no more time. */
export function learnOrLeave(store: Store, words: readonly string[], step: Learning): void {
  const left = learnWords(store, words, step);
  for (let from = 0; from < left.length; from += WORDS_AT_ONCE) {
    const some = left.slice(from, from + WORDS_AT_ONCE);
    store.exec("INSERT INTO unlearnt (words) VALUES (?1)", JSON.stringify(some));
  }
}

/**
 * Learns more of the words that documents brought.
 *
 * @returns whether there was something to learn
 */
export function learnNext(store: Store): boolean {
  const step: Learning = { learning: LEARNING_WORK };
  let learnt = false;
  while (step.learning > 0) {
    const [next] = store.exec<{ id: number; words: string }>("SELECT id, words FROM unlearnt ORDER BY id LIMIT 1");
    if (!next) break;
    const left = learnWords(store, JSON.parse(next.words) as string[], step);
    if (left.length === 0) store.exec("DELETE FROM unlearnt WHERE id = ?1", next.id);
    else store.exec("UPDATE unlearnt SET words = ?2 WHERE id = ?1", next.id, JSON.stringify(left));
    learnt = true;
  }
  return learnt;
}

export function isSomethingUnlearnt(store: Store): boolean {
  return store.exec("SELECT 1 FROM unlearnt LIMIT 1").length > 0;
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
