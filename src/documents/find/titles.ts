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
 * The first of the ranked documents whose titles may hold every word: they have each as often as a title counts.
 *
 * @param max so many titles are read
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

/** Reads the titles of documents, and how the bodies of some begin. */
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

/** Documents whose whole title was typed come first. */
export function byTitles(
  ranked: readonly Ranked[],
  { typed }: Pick<AskedWords, "typed">,
  titles: ReadonlyMap<number, Pick<Beginning, "title">>,
): readonly Ranked[] {
  const rows = new Set([...titles.keys()].filter((row) => lettersOf(titles.get(row)?.title ?? "") === typed));
  return ranked.toSorted((one, other) => Number(rows.has(other.row)) - Number(rows.has(one.row)));
}

/** Titles without a sign: none of their words is read with one. */
const WITHOUT_SIGNS = /^[A-Za-z0-9\s]*$/;

/** A title's letters, as those of a query with the same words are read. */
function lettersOf(title: string): string {
  if (WITHOUT_SIGNS.test(title)) return title.toLowerCase().replaceAll(/\s+/g, "");
  return title
    .split(/\s+/)
    .flatMap((word) => symbolIn(word) ?? wordsIn(withoutEndings(word)))
    .join("");
}
