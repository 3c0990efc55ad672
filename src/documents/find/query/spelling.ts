import { neighboursOf } from "#documents/neighbours.ts";
import { quoted } from "#documents/index-rules.ts";
import type { Search } from "#documents/find/results.ts";
import type { Decisions, Evidence } from "#documents/sharding/shard-page.ts";
import type { EligibleSet } from "#documents/find/collect/eligible-set.ts";
import { IN_ANY_FORM, type SlotWords, wordsOf } from "./slot-words.ts";
import type { Postings } from "#documents/find/collect/postings.ts";
import { anyWordOf } from "./match-expressions.ts";
import type { RankedDocument } from "#documents/find/rank/rank.ts";
import { knownAmong } from "#documents/find/collect/rows.ts";

/** The most misspelt words of a search that are corrected. For each, some 500 words are looked up. */
const CORRECTED_MAX = 5;

/** The most spellings of one word that are looked up in a document before none is used. */
const CONFIRMED_MAX = 5;

/**
 * Returns, for words that no visible document contains, the spellings that visible documents contain, most common first. A word that
 * only others may read is neither among them nor keeps a word from being corrected.
 *
 * @param ranked what was found without corrections
 * @returns by slot
 */
export function spellingsOfMissing(
  search: Search,
  words: readonly SlotWords[],
  ranked: readonly RankedDocument[],
): Evidence["missing"] {
  const { postings, eligible } = search;
  const missing = missingIn(words, ranked).filter(({ word }) => !isSomewhere(postings, word, eligible));
  if (missing.length === 0) return new Map();
  const holders = holdersOf(search, missing);
  return new Map(
    missing.map(({ slot, beside }) => [
      slot,
      beside
        .map((word) => ({ word, ...(holders.get(word) ?? NO_HOLDERS) }))
        .filter(({ documents }) => documents > 0)
        .sort((one, other) => other.documents - one.documents)
        .slice(0, CONFIRMED_MAX)
        .filter(({ word, row }) => isIn(postings, word, row, eligible))
        .map(({ word, documents }) => ({ word, documents })),
    ]),
  );
}

/** Returns the most common spelling of each word that has one. */
export function correctionsIn(missing: Evidence["missing"]): Decisions["corrections"] {
  const corrections = new Map<number, string>();
  for (const [slot, [best]] of missing) if (best !== undefined) corrections.set(slot, best.word);
  return corrections;
}

/** A word that no document in the results contains, and the words one typing error away. */
export interface MissingWord {
  readonly slot: number;
  readonly word: SlotWords;
  readonly beside: readonly string[];
}

/** Returns the words that may be misspelt, because no ranked document contains them. */
function missingIn(words: readonly SlotWords[], ranked: readonly RankedDocument[]): readonly MissingWord[] {
  const held = ranked.reduce((bits, one) => bits | one.held, 0);
  return [...words.entries()]
    .filter(([slot, word]) => !word.isRequired && (held & (1 << slot)) === 0)
    .map(([slot, word]) => ({ slot, word, beside: neighboursOf(word.word) }))
    .filter(({ beside }) => beside.length > 0)
    .slice(0, CORRECTED_MAX);
}

/** Adds corrections to the forms of words. */
export function withCorrections(
  words: readonly SlotWords[],
  corrections: ReadonlyMap<number, string>,
): readonly SlotWords[] {
  return words.map((word, slot) => {
    const correction = corrections.get(slot);
    return correction === undefined ? word : { ...word, forms: [...word.forms, correction] };
  });
}

/**
 * Checks whether an eligible document that wasn't ranked contains the word in any form. If few are eligible, all that contain it are
 * ranked.
 */
function isSomewhere(postings: Postings, word: SlotWords, eligible: EligibleSet): boolean {
  if (eligible.rows !== null) return false;
  return postings.has("postings", anyWordOf(wordsOf(word, IN_ANY_FORM)), eligible);
}

/** How many documents seem to contain a word, and one of them. */
interface Holders {
  readonly documents: number;
  readonly row: number;
}

const NO_HOLDERS: Holders = { documents: 0, row: 0 };

/**
 * Returns, by word, the eligible documents that seem to contain it, according to the hashes of their words. If many are eligible: the
 * newest ones with a word of a list.
 */
function holdersOf(
  { store, postings, termVectors, eligible, limits }: Search,
  missing: readonly MissingWord[],
): ReadonlyMap<string, Holders> {
  const newest = (words: readonly string[]) =>
    words.length === 0 ? [] : postings.newest("postings", anyWordOf(words), eligible, { max: limits.sample });
  const rows = eligible.rows ?? [...new Set(missing.flatMap(({ beside }) => newest(knownAmong(store, beside))))];
  const byHash = new Map(missing.flatMap(({ beside }) => beside).map((word) => [termVectors.hash(word), word]));
  const holders = new Map<string, Holders>();
  termVectors.each(rows, limits.weighedBytes, (row, hashes) => {
    for (const hash of hashes) {
      const word = byHash.get(hash);
      if (word !== undefined) holders.set(word, { documents: (holders.get(word)?.documents ?? 0) + 1, row });
    }
  });
  return holders;
}

/**
 * Checks whether a document really contains a word. Its hash isn't enough: whether a word with the same hash is offered at all depends
 * on other people's documents.
 */
function isIn(postings: Postings, word: string, row: number, { bits }: EligibleSet): boolean {
  return postings.newest("postings", quoted(word), { bits, upTo: row }, { max: 1, above: row - 1 }).length > 0;
}
