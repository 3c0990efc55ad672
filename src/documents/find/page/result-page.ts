import type { DescribedDocument, DocumentSearch, DocumentTotal, Excerpt } from "#documents/engine.ts";
import { CAPITALS } from "#documents/index-rules.ts";
import { tailBefore } from "#documents/find/collect/unscored-tail.ts";
import { orWithout } from "#documents/find/or-without.ts";
import { type Position, positionText } from "#documents/find/position.ts";
import { type SlotWords, soughtIn } from "#documents/find/query/slot-words.ts";
import { placeBehind, rowsOf } from "#documents/find/rank/rank.ts";
import type { Search, SearchResults } from "#documents/find/results.ts";
import { rowIdsVersion } from "#documents/row-ids.ts";
import {
  type Decisions,
  type DocumentTotals,
  type Evidence,
  type Place,
  RANKING_VERSION,
  type ShardPage,
  type SharedDecisions,
} from "#documents/sharding/shard-page.ts";
import { type DistinctDocuments, distinctOf } from "./copies.ts";
import { facetsOf } from "./facets.ts";
import { likenessOf } from "./likeness.ts";
import { readPage } from "./read-page.ts";

/** The words that no visible document contains, and what was searched for instead. */
export type WordsEvidence = Pick<Evidence, "missing"> & Pick<Decisions, "corrections">;

/** The page of a search that asks for nothing. */
export const EMPTY_PAGE: ShardPage = {
  documents: [],
  places: [],
  next: null,
  facets: [],
  words: [],
  ranking: RANKING_VERSION,
  keys: new Set(),
  evidence: { every: 0, together: 0, missing: new Map() },
  totals: { allWords: { documents: 0, isExact: true }, someWords: { documents: 0, isExact: true } },
  statistics: { documents: 0, frequencies: [] },
  decisions: { isQuestion: false, areFacetsOfAllWords: false, corrections: new Map() },
};

/** Of a document that wasn't scored. */
const UNSCORED: Omit<Place, "position"> = { isTitled: false, tier: 0, score: 0, held: 0 };

/** Returns a page of results as people read it, with what merging it with the pages of other shards needs. */
export function shardPageOf(
  search: Search,
  results: SearchResults,
  words: readonly SlotWords[],
  { pageSize, facetBuckets, excerptCharacters, textCharacters = 0, copies: kind }: DocumentSearch,
  position: Position | null,
  shared: SharedDecisions | null,
  { missing, corrections }: WordsEvidence,
): ShardPage {
  const { store, question } = search;
  const { ranked, more, every, isQuestion } = results;
  const sought = soughtIn(words, question);
  const alone: DistinctDocuments = { ranked, copies: new Map() };
  const { comparedPassages } = search.limits;
  const distinct =
    kind === "together"
      ? orWithout(alone, () => distinctOf(store, results, sought, excerptCharacters, comparedPassages))
      : alone;
  const { rows, places, next } = rowsOfPage(search, results, distinct.ranked, position, pageSize);
  const marked = (row: number, document: DescribedDocument, excerpt: Excerpt) => {
    const copies = distinct.copies.get(row);
    const likeness = kind && likenessOf(document, excerpt, sought, results.sketches.get(row)?.hashes);
    return { ...(copies && { copies }), ...(likeness && { likeness }) };
  };
  const full = new Set([...ranked.filter(({ hasAll }) => hasAll).map(({ row }) => row), ...more]);
  const areFacetsOfAllWords = shared?.decisions?.areFacetsOfAllWords ?? full.size >= pageSize;
  return {
    documents: readPage(store, rows, sought, excerptCharacters, textCharacters, marked),
    places,
    next,
    facets: facetBuckets === 0 ? [] : facetsOf(store, facetRows(search, results, areFacetsOfAllWords), facetBuckets),
    words: words.map(({ word }) => word.replace(CAPITALS, "")),
    ranking: RANKING_VERSION,
    keys: question.keys,
    evidence: { every, together: full.size, missing },
    totals: totalsOf(search, results, new Set(rowsOf(ranked.filter(({ hasAll }) => hasAll)))),
    statistics: { documents: search.eligible.count, frequencies: results.documentFrequencies },
    decisions: { isQuestion, areFacetsOfAllWords, corrections },
  };
}

/** Returns the rows from a position on, the ranked ones and then those of the tail. */
function rowsOfPage(
  { store, postings, docValues, question, eligible, limits }: Search,
  { ranked: all, tail }: SearchResults,
  ranked: SearchResults["ranked"],
  position: Position | null,
  pageSize: number,
) {
  const snapshot = eligible.upTo;
  const ids = rowIdsVersion(store);
  const from = position?.part === "tail" ? ranked.length : position === null ? 0 : placeBehind(ranked, position, ids);
  const shown = ranked.slice(from, from + pageSize);
  const rows = [...rowsOf(shown)];
  const places = shown.map(({ row, tier, score, held, isTitled = false }, at): Place => {
    const behind = { part: "ranked", ids, snapshot, last: row, place: from + at + 1 } as const;
    return { isTitled, tier, score, held, position: positionText(behind) };
  });
  let next = from + shown.length < ranked.length ? (places.at(-1)?.position ?? null) : null;
  if (next === null && tail) {
    const known = new Set(rowsOf(all));
    // With other ids, nothing says where the tail went on. Some come again, which is better than leaving some out.
    const before = position?.part === "tail" && position.ids === ids ? position.before : snapshot + 1;
    const max = pageSize - rows.length;
    const page = tailBefore(store, postings, docValues, question, tail, { eligible, known, before, max, limits });
    const at = (row: number) => positionText({ part: "tail", ids, snapshot, before: row });
    rows.push(...page.rows);
    places.push(...page.rows.map((row) => ({ ...UNSCORED, position: at(row) })));
    if (page.before > 1) next = at(page.before);
  }
  return { rows, places, next };
}

/**
 * Returns the documents that facets count. Without words, these are all that the filters leave.
 *
 * @param areOfAllWords whether only documents with every word count. If they don't fill a page, it shows others as well, and people want to
 *   filter what they see
 */
function facetRows(
  { eligible, limits }: Search,
  { ranked, more, tail }: SearchResults,
  areOfAllWords: boolean,
): readonly number[] {
  const max = limits.facetDocuments;
  if (tail?.expression !== null) {
    const counted = areOfAllWords ? ranked.filter(({ hasAll }) => hasAll) : ranked;
    return [...new Set([...rowsOf(counted), ...more])].slice(0, max);
  }
  const rows: number[] = [];
  for (let row = eligible.upTo; row > 0 && rows.length < max; row--) if (eligible.has(row)) rows.push(row);
  return rows;
}

/**
 * Returns how many documents a search finds: with all words, and with some. Reads nothing. What wasn't counted is estimated from what
 * was, all of which the person may see.
 *
 * @param full the ranked documents with all words
 */
function totalsOf(
  { eligible, question, limits }: Search,
  { ranked, tail, scored, unread, allWords }: SearchResults,
  full: ReadonlySet<number>,
): DocumentTotals {
  const found = (documents: number, isExact: boolean): DocumentTotal => ({
    documents,
    isExact: isExact && eligible.isExact,
  });
  if (tail?.expression === null) {
    const all = found(eligible.count, question.unwanted.length === 0);
    return { allWords: all, someWords: all };
  }
  // With fewer, all lists were read to their ends.
  const areAllScored = allWords === null || scored < limits.weighed;
  const someWords = found(ranked.length, areAllScored && unread === 0);
  if (allWords === null || allWords.isComplete) return { allWords: found(full.size, unread === 0), someWords };
  const { rows, count, isCertain } = allWords;
  if (isCertain) return { allWords: found(count.documents, count.isExact), someWords };
  const [passed, read] =
    rows.length === 0 ? [ranked.length, scored] : [rows.filter((row) => full.has(row)).length, rows.length];
  const share = Math.min(passed / Math.max(read - unread, 1), 1);
  return { allWords: found(Math.max(count.documents * share, full.size), false), someWords };
}
