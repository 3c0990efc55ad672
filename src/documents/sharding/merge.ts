import type { DocumentSearch, DocumentTotal, Facet, FoundDocument, FoundPage } from "#documents/engine.ts";
import { idfOf } from "#documents/index-rules.ts";
import { areCopies, withCopy } from "#documents/find/page/likeness.ts";
import { POSITION_LENGTH } from "#documents/find/position.ts";
import { MANY_DOCUMENTS } from "#documents/find/rank/weights.ts";
import type { Decisions, Evidence, Place, ShardPage, SharedDecisions, WordStatistics } from "./shard-page.ts";
import { comparableScore } from "./word-statistics.ts";

/** Returns the page of an instance with one shard. */
export function pageOf({ documents, places, facets, next, ...page }: ShardPage): FoundPage {
  const total = totalOf([page], page.decisions);
  return { documents, facets, total: rounded(total), ...wordsOfPage(page, page.statistics, places), next };
}

/** Adds up how many documents the shards find, by what was decided for all of them. */
export function totalOf(
  pages: readonly Pick<ShardPage, "totals">[],
  { areFacetsOfAllWords }: Decisions,
): DocumentTotal {
  let [documents, isExact] = [0, true];
  for (const { totals } of pages) {
    const total = areFacetsOfAllWords ? totals.allWords : totals.someWords;
    documents += total.documents;
    isExact &&= total.isExact;
  }
  return { documents, isExact };
}

/** Rounds an estimate to the two digits that it may have. */
function rounded(total: DocumentTotal): DocumentTotal {
  if (total.isExact) return total;
  return { ...total, documents: Number(total.documents.toPrecision(2)) };
}

/** Returns which words some of a page's documents lack, and which were corrected. */
function wordsOfPage(
  { words, decisions }: Pick<ShardPage, "words" | "decisions">,
  { documents, frequencies }: WordStatistics,
  places: readonly Place[],
) {
  const { corrections } = decisions;
  const held = places.filter(({ tier }) => tier > 0).reduce((bits, place) => bits & place.held, -1);
  return {
    missingWords: words.filter((_, slot) => (held & (1 << slot)) === 0 || corrections.has(slot)),
    correctedWords: Array.from(corrections, ([slot, found]) => ({ typed: words[slot] ?? "", found })),
    wordWeights: new Map(
      words.map((word, slot) => [word, idfOf(documents, Math.max(0, ...(frequencies[slot] ?? [])))]),
    ),
  };
}

/** Returns the keys of custom metadata that some shard filters by. */
export function keysIn(pages: readonly (ShardPage | null)[]): ReadonlySet<string> {
  return new Set(pages.flatMap((page) => [...(page?.keys ?? [])]));
}

/** Makes the decisions that depend on all documents, from what each shard knows. */
export function decide(pages: readonly ShardPage[], pageSize: number): Decisions {
  const sum = (count: (evidence: Evidence) => number) =>
    pages.reduce((total, { evidence }) => total + count(evidence), 0);
  return {
    // A shard says no if it has enough documents by itself, or if the search can't be a question.
    isQuestion: pages.every(({ decisions }) => decisions.isQuestion) && sum(({ every }) => every) < MANY_DOCUMENTS,
    areFacetsOfAllWords: sum(({ together }) => together) >= pageSize,
    corrections: correctionsOf(pages.map(({ evidence }) => evidence.missing)),
  };
}

/** Corrects words that are missing in every shard to what most documents of all shards contain. */
function correctionsOf(missing: readonly Evidence["missing"][]): Decisions["corrections"] {
  const corrections = new Map<number, string>();
  for (const slot of missing[0]?.keys() ?? []) {
    const spellings = missing.map((one) => one.get(slot));
    if (!spellings.every((list) => list !== undefined)) continue;
    const documents = new Map<string, number>();
    for (const one of spellings.flat()) documents.set(one.word, (documents.get(one.word) ?? 0) + one.documents);
    const [best] = [...documents].sort(([, one], [, other]) => other - one);
    if (best) corrections.set(slot, best[0]);
  }
  return corrections;
}

/** Checks whether a shard decided differently, so that its documents are in another order or are others. */
export function isAgainst({ decisions, facets }: ShardPage, all: Decisions): boolean {
  return (
    decisions.isQuestion !== all.isQuestion ||
    (facets.length > 0 && decisions.areFacetsOfAllWords !== all.areFacetsOfAllWords) ||
    decisions.corrections.size !== all.corrections.size ||
    [...all.corrections].some(([slot, word]) => decisions.corrections.get(slot) !== word)
  );
}

/** The position of a shard from which nothing follows. */
const DONE = "done";

/** Where each shard continues; `null`: at its beginning. */
type Positions = readonly (string | null)[];

/** Where a search continues in all shards, and what was decided for its first page. */
interface Continued {
  readonly from: Positions;
  /** Later pages don't decide again: the shards that decided the first one may have nothing left. */
  readonly shared: CompleteDecisions;
  readonly statistics: WordStatistics;
  /** How many documents all shards find. Later, some have nothing left that could be counted. */
  readonly total: DocumentTotal;
}

type CompleteDecisions = SharedDecisions & { readonly decisions: Decisions };

/**
 * Serializes where a search continues. All positions are equally long, so that a sealed cursor reveals nothing about what follows. The
 * rest depends only on what the person typed and sees.
 */
function continuedText(next: readonly string[], { shared, statistics, total }: Omit<Continued, "from">): string {
  const { isQuestion, areFacetsOfAllWords, corrections } = shared.decisions;
  const json: ContinuedJson = [
    next.map((position) => position.padEnd(POSITION_LENGTH)).join(""),
    [...shared.keys],
    Number(isQuestion),
    Number(areFacetsOfAllWords),
    [...corrections],
    statistics.documents,
    statistics.frequencies,
    total,
  ];
  return JSON.stringify(json);
}

/** What {@link continuedText} serializes. Callers seal it, so it comes back as it was given. */
type ContinuedJson = readonly [
  positions: string,
  keys: readonly string[],
  isQuestion: number,
  areFacetsOfAllWords: number,
  corrections: readonly (readonly [slot: number, word: string])[],
  documents: number,
  frequencies: WordStatistics["frequencies"],
  total: DocumentTotal,
];

/** Returns what {@link continuedText} was given; `null`: this is the first page. */
export function continuedFrom(text: string | null, shards: number): Continued | null {
  if (text === null) return null;
  const [positions, keys, isQuestion, areFacetsOfAllWords, corrections, documents, frequencies, total] = JSON.parse(
    text,
  ) as ContinuedJson;
  // Of an older form, or of another number of shards.
  if (positions.length !== shards * POSITION_LENGTH) return null;
  const positionOf = (shard: number) => positions.slice(shard * POSITION_LENGTH, (shard + 1) * POSITION_LENGTH);
  return {
    from: Array.from({ length: shards }, (_, shard) => (positionOf(shard).trim() === "" ? null : positionOf(shard))),
    shared: {
      keys: new Set(keys),
      decisions: {
        isQuestion: isQuestion === 1,
        areFacetsOfAllWords: areFacetsOfAllWords === 1,
        corrections: new Map(corrections),
      },
    },
    statistics: { documents, frequencies },
    total,
  };
}

/** Checks whether nothing follows in a shard. */
export function isDone(position: string | null): boolean {
  return position !== null && position.trim() === DONE;
}

/**
 * Merges the pages of all shards into one. Each shard's own order stays.
 *
 * @param pages by shard; `null`: nothing follows there
 * @param from where each page begins, and what was decided for all of them
 */
export function merge(
  pages: readonly (ShardPage | null)[],
  { from, shared, statistics, total }: Continued,
  { pageSize, facetBuckets, copies }: Pick<DocumentSearch, "pageSize" | "facetBuckets" | "copies">,
): FoundPage {
  const [first] = pages.filter((page) => page !== null);
  if (!first) return { documents: [], facets: [], missingWords: [], correctedWords: [], next: null };
  const isComparable = pages.every((page) => page === null || page.ranking === first.ranking);
  const scores = isComparable
    ? pages.map((page) => page?.places.map((place) => comparableScore(place, page.statistics, statistics)) ?? [])
    : null;
  const taken = pages.map(() => 0);
  const documents: FoundDocument[] = [];
  const places: Place[] = [];
  // Not longer, even if copies make fewer results of these: a shard's page may have ended.
  for (let count = 0; count < pageSize; count++) {
    const best = bestOf(pages, taken, scores);
    if (best === undefined) break;
    const at = taken[best] ?? 0;
    taken[best] = at + 1;
    const document = pages[best]?.documents[at] as FoundDocument;
    const same = copies === "together" ? documents.findIndex((one) => areCopies(one.likeness, document.likeness)) : -1;
    const known = documents[same];
    if (known) documents[same] = withCopy(known, document);
    else {
      documents.push(document);
      places.push(pages[best]?.places[at] as Place);
    }
  }
  const next = pages.map((page, shard) => {
    if (!page) return DONE;
    const count = taken[shard] ?? 0;
    if (count === page.documents.length) return page.next ?? DONE;
    return count === 0 ? (from[shard] ?? "") : (page.places[count - 1]?.position ?? "");
  });
  return {
    documents,
    facets: mergeFacets(
      pages.map((page) => page?.facets ?? []),
      facetBuckets,
    ),
    total: rounded(total),
    ...wordsOfPage(first, statistics, places),
    next: next.every(isDone) ? null : continuedText(next, { shared, statistics, total }),
  };
}

/** Returns the shard with the best of the documents that were not taken yet. */
function bestOf(
  pages: readonly (ShardPage | null)[],
  taken: readonly number[],
  scores: readonly (readonly number[])[] | null,
): number | undefined {
  let best: (Placed & { readonly shard: number }) | undefined;
  for (const [shard, page] of pages.entries()) {
    const at = taken[shard] ?? 0;
    const place = page?.places[at];
    if (!place) continue;
    const placed = { shard, place, at, score: scores?.[shard]?.[at] ?? null };
    if (!best || isBefore(placed, best)) best = placed;
  }
  return best?.shard;
}

/** A document at a position of its shard's page. `score`: `null` if those of other shards were computed by other rules. */
type Placed = { readonly place: Place; readonly at: number; readonly score: number | null };

/** Checks whether a document comes before another. Those that were ranked by different rules come in turn. */
function isBefore(one: Placed, other: Placed): boolean {
  if (one.score === null || other.score === null) return one.at < other.at;
  if (one.place.isTitled !== other.place.isTitled) return one.place.isTitled;
  if (one.place.tier !== other.place.tier) return one.place.tier > other.place.tier;
  if (one.place.tier > 0) return one.score > other.score;
  return one.at < other.at;
}

/** Adds the counts of the same values, which may be spelt with other capitals. */
function mergeFacets(lists: readonly (readonly Facet[])[], buckets: number): Facet[] {
  const facets = new Map<string, Facet & { readonly counts: Map<string, Facet["buckets"][number]> }>();
  for (const facet of lists.flat()) {
    const known = facets.get(facet.field) ?? { ...facet, counts: new Map<string, Facet["buckets"][number]>() };
    for (const { value, count } of facet.buckets) {
      const same = known.counts.get(value.toLowerCase());
      known.counts.set(value.toLowerCase(), { value: same?.value ?? value, count: count + (same?.count ?? 0) });
    }
    facets.set(facet.field, { ...known, hasMoreBuckets: known.hasMoreBuckets || facet.hasMoreBuckets });
  }
  return [...facets.values()].map(({ counts, field, isMultiple, hasMoreBuckets }) => {
    const all = [...counts.values()].sort(
      (one, other) => other.count - one.count || (one.value < other.value ? -1 : 1),
    );
    return {
      field,
      isMultiple,
      buckets: all.slice(0, buckets),
      hasMoreBuckets: hasMoreBuckets || all.length > buckets,
    };
  });
}
