import { compoundsIn, symbolIn } from "#documents/compounds.ts";
import { FIELD_WEIGHTS } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import { withoutEndings, wordsIn } from "#documents/words.ts";
import type { SlotWords } from "./forms.ts";
import type { AskedWords } from "./question.ts";
import { bestFirst, type Ranked } from "./rank.ts";
import { AS_WRITTEN, type Tally } from "./tally.ts";

/** A title of nothing but the typed words makes a document worth so much more, a title twice as long half of that. */
const TITLE_WORTH = 0.2;

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
  return ranked.flatMap(({ row }) => (rows.has(row) ? [row] : [])).slice(0, max);
}

/** Reads the titles of documents. */
export function storedTitles(store: Store, rows: readonly number[]): ReadonlyMap<number, string> {
  if (rows.length === 0) return new Map();
  const titles = store.exec<{ id: number; title: string }>(
    "SELECT d.id, d.title FROM json_each(?1) r CROSS JOIN documents d ON d.id = r.value",
    JSON.stringify(rows),
  );
  return new Map(titles.map(({ id, title }) => [id, title]));
}

/**
 * Documents whose whole title was typed come first; a title that holds several typed words and little else makes others worth more. How
 * often one word alone is in a title, and how long that is, has been weighed already.
 */
export function byTitles(
  ranked: readonly Ranked[],
  words: readonly SlotWords[],
  { typed }: Pick<AskedWords, "typed">,
  titles: ReadonlyMap<number, string>,
): readonly Ranked[] {
  if (titles.size === 0) return ranked;
  const shares = new Map(Array.from(titles, ([row, title]) => [row, shareOf(title, words, typed)]));
  const isTyped = ({ row }: Ranked) => shares.get(row) === WHOLE;
  const worth = words.length > 1 ? TITLE_WORTH : 0;
  return ranked
    .map((one) => ({ ...one, score: one.score * (1 + worth * (shares.get(one.row) ?? 0)) }))
    .sort((one, other) => Number(isTyped(other)) - Number(isTyped(one)) || bestFirst(one, other));
}

/** The share of a title that is exactly what was typed. Others have a smaller one, however their words are ordered. */
const WHOLE = 1;
const LARGEST_PART = 0.99;

/** Which share of a title the typed words are; 0 where it doesn't hold all that are looked for. */
function shareOf(title: string, words: readonly SlotWords[], typed: string): number {
  const letters = lettersOf(title);
  if (letters === typed) return WHOLE;
  const held = new Set(wordsIn(title));
  const isHeld = () => words.every(({ word }) => held.has(word));
  if (!isHeld()) {
    for (const { word } of compoundsIn(title)) held.add(word);
    if (!isHeld()) return 0;
  }
  return Math.min(typed.length / letters.length, LARGEST_PART);
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
