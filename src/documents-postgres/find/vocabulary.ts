import { isBeginning } from "#documents/find/forms.ts";
import type { Slot } from "#documents/find/question.ts";
import type { Language } from "#documents/languages.ts";
import { stemOf } from "#documents/stems.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { numberList, type Rows, textList } from "#documents-postgres/database.ts";
import { LEVEL_COUNTS } from "#documents-postgres/level-columns.ts";
import { Parameters } from "./parameters.ts";

/** How many documents contain a word, visible or not, and at which levels. */
export interface Frequency {
  readonly documents: number;
  readonly levels: readonly number[];
  /** The last epoch whose documents are in its postings; 0 or missing if it has none. */
  readonly posted?: number;
  /** The same for its holders. */
  readonly gathered?: number;
}

/** A word that stands for a slot's word. */
export interface Word extends Frequency {
  readonly slot: number;
  readonly word: string;
}

const WORD_COLUMNS = `w.word, w.documents, w.posted, w.gathered, ${LEVEL_COUNTS} AS levels`;

/** The same if no list of a level will be read. */
const COUNTED_COLUMNS = "w.word, w.documents, NULL AS levels";

interface Hashed extends Frequency {
  readonly hash: number;
}

/** How much of the vocabulary a search asks for. */
interface AskedVocabulary {
  readonly forms: number;
  /** The most words that are looked at for completions. */
  readonly vocabulary: number;
  /** If more words than this have the same beginning, it isn't read which of them have postings. */
  readonly postedMax: number;
  /** Whether a list of a level may be read. */
  readonly hasLevels: boolean;
}

/** Words, by their hashes. */
export interface PostedWords {
  readonly hashes: readonly number[];
  /** The last epoch whose documents are in each word's postings; 0: it has none. `null`: unknown, because there are too many words. */
  readonly posted: readonly number[] | null;
}

/** Words with the same beginning, in the order of the words. */
export interface Completions extends PostedWords {
  readonly slot: number;
  /** The sum of how many documents have each, visible or not. */
  readonly documents: number;
}

interface Vocabulary {
  /** By slot. */
  readonly completions: ReadonlyMap<number, Completions>;
  /** In the order of the words. */
  readonly forms: readonly Word[];
  readonly known: Map<string, Frequency>;
}

/**
 * Looks up a search's completions, forms and words in one statement.
 *
 * @param sought words that are looked up as they are
 */
export async function vocabularyFor(
  rows: Rows,
  hash: WordHash,
  slots: readonly Slot[],
  sought: readonly string[],
  languages: readonly Language[],
  asked: AskedVocabulary,
): Promise<Vocabulary> {
  const columns = asked.hasLevels ? WORD_COLUMNS : COUNTED_COLUMNS;
  const stems = stemsOf(slots, languages);
  const words = [...new Set(sought)];
  const parameters = new Parameters();
  const [completions, forms, known] = [
    completionsSelected(slots, asked, parameters),
    formsSelected(stems, columns, asked.forms * languages.length, parameters),
    frequenciesSelected(hash, words, parameters),
  ].map((part) => `(SELECT json_agg(f) FROM (${part}) f)`);
  const [row] = await rows.byKey<{
    completions: readonly Completions[] | null;
    forms: readonly (Word & { readonly at: number })[] | null;
    known: readonly Hashed[] | null;
  }>(`SELECT ${completions} AS completions, ${forms} AS forms, ${known} AS known`, ...parameters.values);
  return {
    completions: new Map(row?.completions?.map((one) => [one.slot, one])),
    forms: formsAmong(row?.forms ?? [], stems),
    known: byWord(hash, words, row?.known ?? []),
  };
}

/** Returns the frequencies of those words that any document has. */
export async function frequencies(
  rows: Rows,
  hash: WordHash,
  words: readonly string[],
): Promise<Map<string, Frequency>> {
  const distinct = [...new Set(words)];
  const parameters = new Parameters();
  const statement = frequenciesSelected(hash, distinct, parameters);
  return byWord(hash, distinct, await rows.byKey<Hashed>(statement, ...parameters.values));
}

function frequenciesSelected(hash: WordHash, words: readonly string[], parameters: Parameters): string {
  const hashes = parameters.add(numberList(words.map((word) => hash(word) | 0)), "int[]");
  return `SELECT w.hash, ${WORD_COLUMNS} FROM words w WHERE w.instance_id = $1 AND w.hash = ANY (${hashes})`;
}

function byWord(hash: WordHash, words: readonly string[], found: readonly Hashed[]): Map<string, Frequency> {
  const byHash = new Map(found.map((one) => [one.hash, one]));
  return new Map(
    words.flatMap((word) => {
      const one = byHash.get(hash(word) | 0);
      return one ? [[word, one] as const] : [];
    }),
  );
}

/**
 * Selects the hashes of the words with each beginning and, if these are few, the last epochs of their postings. It selects nothing
 * else of each word, because a beginning of two letters has thousands.
 */
function completionsSelected(
  slots: readonly Slot[],
  { vocabulary, postedMax }: AskedVocabulary,
  parameters: Parameters,
): string {
  const beginnings = [...slots.entries()].filter(([, slot]) => isBeginning(slot));
  if (beginnings.length === 0) return "SELECT WHERE false";
  const at = parameters.add(numberList(beginnings.map(([slot]) => slot)), "int[]");
  const first = parameters.add(textList(beginnings.map(([, { word }]) => word)), "text[]");
  const last = parameters.add(textList(beginnings.map(([, { word }]) => `${word}\u{10ffff}`)), "text[]");
  return `SELECT b.slot, coalesce(c.hashes, '{}') AS hashes, c.posted, coalesce(c.documents, 0) AS documents
    FROM unnest(${at}, ${first}, ${last}) AS b (slot, first, last) CROSS JOIN LATERAL (
      SELECT array_agg(o.hash) AS hashes, sum(o.documents)::float8 AS documents,
        CASE WHEN count(*) <= ${parameters.add(postedMax, "int")} THEN array_agg(o.posted) END AS posted FROM (
        SELECT w.hash, w.documents, w.posted FROM words w
        WHERE w.instance_id = $1 AND w.word > b.first AND w.word < b.last AND w.documents > 0
        ORDER BY w.word LIMIT ${parameters.add(vocabulary, "int")}) o) c`;
}

/** Returns the words with some hashes. @param hasLevels whether a list of a level may be read */
export function wordsOf(
  rows: Rows,
  hashes: readonly number[],
  hasLevels: boolean,
): Promise<readonly (Frequency & { readonly hash: number; readonly word: string })[]> {
  const parameters = new Parameters();
  const asked = parameters.add(numberList(hashes), "int[]");
  const columns = hasLevels ? WORD_COLUMNS : COUNTED_COLUMNS;
  return rows.byKey(
    `SELECT w.hash, ${columns} FROM words w WHERE w.instance_id = $1 AND w.hash = ANY (${asked})`,
    ...parameters.values,
  );
}

/** The stem of a slot's word in a language. */
interface Stem {
  readonly slot: number;
  readonly word: string;
  readonly stem: string;
  readonly language: Language;
}

function stemsOf(slots: readonly Slot[], languages: readonly Language[]): readonly Stem[] {
  return slots.flatMap(({ word, isRequired }, slot) =>
    isRequired
      ? []
      : languages.flatMap((language) => {
          const stem = stemOf(word, language);
          return stem === null ? [] : [{ slot, word, stem, language }];
        }),
  );
}

function formsSelected(stems: readonly Stem[], columns: string, max: number, parameters: Parameters): string {
  if (stems.length === 0) return "SELECT WHERE false";
  const stem = parameters.add(textList(stems.map((one) => one.stem)), "text[]");
  const word = parameters.add(textList(stems.map((one) => one.word)), "text[]");
  return `SELECT s.at::int - 1 AS at, c.* FROM unnest(${stem}, ${word}) WITH ORDINALITY AS s (stem, word, at) CROSS JOIN LATERAL (
    SELECT ${columns} FROM (SELECT w.* FROM stems t JOIN words w ON w.instance_id = $1 AND w.hash = t.hash
      WHERE t.instance_id = $1 AND t.stem = s.stem AND w.word <> s.word AND w.documents > 0
      ORDER BY w.word LIMIT ${parameters.add(max, "int")}) w) c`;
}

/**
 * Returns the words that are forms of a slot's word. The table has stems of all languages; a form has the same stem in the same
 * language.
 */
function formsAmong(found: readonly (Word & { readonly at: number })[], stems: readonly Stem[]): readonly Word[] {
  return found.flatMap(({ at, ...one }) => {
    const { slot, stem, language } = stems[at] as Stem;
    return stemOf(one.word, language) === stem ? [{ ...one, slot }] : [];
  });
}
