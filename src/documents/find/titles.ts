import { symbolIn } from "#documents/compounds.ts";
import { FIELD_WEIGHTS } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import { withoutEndings, wordsIn } from "#documents/words.ts";
import type { SlotWords } from "./forms.ts";
import type { Beginning } from "./nearness.ts";
import type { AskedWords } from "./question.ts";
import { type Ranked, rowsOf } from "./rank.ts";
import { AS_WRITTEN, type Tally } from "./tally.ts";

/**
 * Returns the first ranked documents whose titles may contain every word, because each counts at least as much as one in a title.
 *
 * @param max how many titles are read
 */
export function titlesToRead(
  ranked: readonly Ranked[],
  counted: Tally,
  words: readonly SlotWords[],
  max: number,
): readonly number[] {
  const mayHold = (at: number) => words.every((_, slot) => counted.count(at, slot, AS_WRITTEN) >= FIELD_WEIGHTS.title);
  const rows = new Set(counted.rows.filter((_, at) => mayHold(at)));
  return rowsOf(ranked)
    .filter((row) => rows.has(row))
    .slice(0, max);
}

/** Returns the titles of documents, and the beginnings of some bodies. */
export function storedBeginnings(
  store: Store,
  rows: readonly number[],
  titled: readonly number[],
  characters: number,
): ReadonlyMap<number, Beginning> {
  const all = [...new Set([...rows, ...titled])];
  if (all.length === 0) return new Map();
  const read = store.exec<Beginning & { id: number }>(
    `SELECT d.id, d.title, CASE WHEN r.key < ?2 THEN substr(d.body, 1, ?3) END AS body
     FROM json_each(?1) r CROSS JOIN documents d ON d.id = r.value`,
    JSON.stringify(all),
    rows.length,
    characters,
  );
  return new Map(read.map((one) => [one.id, one]));
}

/** Moves documents whose whole title was typed to the front. */
export function byTitles(
  ranked: readonly Ranked[],
  { typed }: Pick<AskedWords, "typed">,
  titles: ReadonlyMap<number, Pick<Beginning, "title">>,
): readonly Ranked[] {
  const rows = new Set([...titles.keys()].filter((row) => lettersOf(titles.get(row)?.title ?? "") === typed));
  return [
    ...ranked.filter(({ row }) => rows.has(row)).map((one) => ({ ...one, isTitled: true })),
    ...ranked.filter(({ row }) => !rows.has(row)),
  ];
}

/** Titles without signs, so that none of their words is read as a symbol. */
const WITHOUT_SIGNS = /^[A-Za-z0-9\s]*$/;

/** Returns a title's letters, read in the same way as those of a query. */
function lettersOf(title: string): string {
  if (WITHOUT_SIGNS.test(title)) return title.toLowerCase().replaceAll(/\s+/g, "");
  return title
    .split(/\s+/)
    .flatMap((word) => symbolIn(word) ?? wordsIn(withoutEndings(word)))
    .join("");
}
