import { stemOf } from "#documents/stems.ts";
import type { Store } from "#documents/store.ts";

/** The languages of an instance; English where it chose none. */
function languagesOf(store: Store): readonly string[] {
  const chosen = store.exec<{ language: string }>("SELECT language FROM languages");
  return chosen.length === 0 ? ["en"] : chosen.map(({ language }) => language);
}

/** Keeps the words that were never written before, and what they have in common with others. */
export function learnWords(store: Store, words: readonly string[]): void {
  const added = store.exec<{ id: number; word: string }>(
    "INSERT OR IGNORE INTO vocabulary (word) SELECT value FROM json_each(?1) RETURNING id, word",
    JSON.stringify(words),
  );
  if (added.length === 0) return;
  const stems = languagesOf(store).flatMap((language) =>
    added.map(({ id, word }) => [language, stemOf(word, language), id]).filter(([, stem]) => stem !== null),
  );
  store.exec(
    `INSERT INTO stems (language, stem, word) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1)`,
    JSON.stringify(stems),
  );
}
