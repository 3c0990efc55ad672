import { stemOf } from "#documents/stems.ts";
import type { Store } from "#documents/store.ts";

/** The languages of an instance; English where it chose none. */
export function languagesOf(store: Store): readonly string[] {
  const chosen = store.exec<{ language: string }>("SELECT language FROM languages");
  return chosen.length === 0 ? ["en"] : chosen.map(({ language }) => language);
}

/** Keeps the words that were never written before, and what they have in common with others. */
export function learnWords(store: Store, words: readonly string[]): void {
  const unknown = store.exec<{ word: string }>(
    `SELECT value AS word FROM json_each(?1) WHERE NOT EXISTS (SELECT 1 FROM vocabulary WHERE word = value)`,
    JSON.stringify(words),
  );
  if (unknown.length === 0) return;
  const languages = languagesOf(store);
  for (const { word } of unknown) {
    const [{ id }] = store.exec<{ id: number }>("INSERT INTO vocabulary (word) VALUES (?1) RETURNING id", word) as [
      { id: number },
    ];
    for (const language of languages) {
      const stem = stemOf(word, language);
      if (stem === null) continue;
      store.exec("INSERT INTO stems (language, stem, word) VALUES (?1, ?2, ?3)", language, stem, id);
    }
  }
}
