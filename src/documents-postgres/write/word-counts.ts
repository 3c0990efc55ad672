import { COUNT_OF_BYTE, LEVELS, levelOf } from "#documents/index-rules.ts";
import { LANGUAGES } from "#documents/languages.ts";
import { stemOf } from "#documents/stems.ts";
import { numberList, type Rows, textList } from "#documents-postgres/database.ts";
import { LEVEL_NAMES } from "#documents-postgres/level-columns.ts";

/**
 * The maximum length of words that complete a beginning or are a form of another word. A longer word is only found as it is
 * written.
 */
const WORD_LENGTH_MAX = 100;

/**
 * Returns a word's level. It comes from the packed count of the forward entry, so that it is the same when the document is
 * removed.
 */
export function levelOfPacked(packed: number, saturation: number): number {
  return levelOf(COUNT_OF_BYTE[packed] ?? 0, saturation);
}

/** How a transaction changes the number of documents that contain each word, at each level. */
export class WordCounts {
  readonly #rows: Rows;
  readonly #changes = new Map<number, { word: string | null; readonly levels: Int32Array }>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  count(hash: number, level: number, change: number): void {
    const known = this.#changes.get(hash) ?? { word: null, levels: new Int32Array(LEVELS) };
    this.#changes.set(hash, known);
    known.levels[level] = (known.levels[level] ?? 0) + change;
  }

  /** Sets the word of a hash that was counted. */
  name(hash: number, word: string): void {
    const known = this.#changes.get(hash);
    if (known && word.length <= WORD_LENGTH_MAX) known.word ??= word;
  }

  /** Stores the changes, and the stems of new words. */
  async keep(): Promise<void> {
    const changed = [...this.#changes].filter(([, { levels }]) => levels.some((change) => change !== 0));
    if (changed.length === 0) return;
    const columns = LEVEL_NAMES.map((_, at) => `$${at + 4}::int[]`).join(", ");
    const fresh = await this.#rows.all<{ hash: number; word: string }>(
      `WITH given (hash, word, ${LEVEL_NAMES.join(", ")}) AS (SELECT * FROM unnest($2::int[], $3::text[], ${columns})),
       counted AS (SELECT *, ${LEVEL_NAMES.join(" + ")} AS documents FROM given),
       kept AS (
         INSERT INTO words AS w (instance_id, hash, word, documents, ${LEVEL_NAMES.join(", ")})
         SELECT $1, hash, nullif(word, ''), documents, ${LEVEL_NAMES.join(", ")} FROM counted
         ON CONFLICT (instance_id, hash) DO UPDATE SET documents = w.documents + excluded.documents,
           word = coalesce(w.word, excluded.word), ${LEVEL_NAMES.map((name) => `${name} = w.${name} + excluded.${name}`).join(", ")}
         RETURNING hash, documents)
       SELECT c.hash, c.word FROM kept k JOIN counted c ON c.hash = k.hash AND c.documents = k.documents WHERE c.word <> ''`,
      // Signed 32-bit numbers, as in the columns.
      numberList(changed.map(([hash]) => hash | 0)),
      textList(changed.map(([, { word }]) => word ?? "")),
      ...LEVEL_NAMES.map((_, level) => numberList(changed.map(([, { levels }]) => levels[level] ?? 0))),
    );
    await this.#keepStems(fresh);
  }

  async #keepStems(words: readonly { readonly hash: number; readonly word: string }[]): Promise<void> {
    const stems = words.flatMap(({ hash, word }) =>
      [...new Set(LANGUAGES.map((language) => stemOf(word, language)))]
        .filter((stem) => stem !== null)
        .map((stem) => ({ hash, stem })),
    );
    if (stems.length === 0) return;
    await this.#rows.all(
      `INSERT INTO stems (instance_id, stem, hash) SELECT $1, stem, hash FROM unnest($2::text[], $3::int[]) AS s (stem, hash)
       ON CONFLICT DO NOTHING`,
      textList(stems.map(({ stem }) => stem)),
      numberList(stems.map(({ hash }) => hash)),
    );
  }
}
