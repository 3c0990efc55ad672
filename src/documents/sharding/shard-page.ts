import type { DocumentTotal, Facet, FoundDocument } from "#documents/engine.ts";
import type { RankedDocument } from "#documents/find/rank/rank.ts";

/**
 * The version of the rules by which scores are computed. Objects may run different versions of the Worker for some minutes, and scores
 * of different rules can't be compared. Increase it with every change of ranking.
 */
export const RANKING_VERSION = 6;

/** What a shard finds, with what is needed to merge it with what others find. */
export interface ShardPage {
  readonly documents: readonly FoundDocument[];
  /** The place of each document. */
  readonly places: readonly Place[];
  /** The position after the last document; `null`: nothing follows. */
  readonly next: string | null;
  readonly facets: readonly Facet[];
  /** The words of the search, folded: the same in each shard. */
  readonly words: readonly string[];
  readonly ranking: number;
  /** The keys of custom metadata that the search filters by. In a shard without their values, they are words. */
  readonly keys: ReadonlySet<string>;
  readonly evidence: Evidence;
  readonly totals: DocumentTotals;
  readonly statistics: WordStatistics;
  /** What the shard decided, or was told. */
  readonly decisions: Decisions;
}

/** How many documents have all words, or some. */
export interface DocumentTotals {
  readonly allWords: DocumentTotal;
  readonly someWords: DocumentTotal;
}

/** Where a document is among all that a search finds. */
export interface Place {
  /** Whether its whole title was typed. */
  readonly isTitled: boolean;
  /** 0: it wasn't scored. */
  readonly tier: RankedDocument["tier"] | 0;
  readonly score: number;
  /** Which of the words it contains, one bit each. */
  readonly held: number;
  /** Where the page continues after this document. */
  readonly position: string;
}

/** How rare words are among the documents that a search may find. */
export interface WordStatistics {
  readonly documents: number;
  /** How many of them contain each word, by slot and way. */
  readonly frequencies: readonly (readonly number[])[];
}

/** What a shard knows about decisions that depend on all documents. */
export interface Evidence {
  /** Scored documents with every word. */
  readonly every: number;
  /** Documents with every word, scored or not. */
  readonly together: number;
  /** By slot: the words that may be meant instead, with how many documents seem to contain each. Only for words that none contains. */
  readonly missing: ReadonlyMap<number, readonly Spelling[]>;
}

export interface Spelling {
  readonly word: string;
  readonly documents: number;
}

/** What was decided for all shards. */
export interface SharedDecisions {
  readonly keys: ReadonlySet<string>;
  /** `null`: the shard still decides about the rest. */
  readonly decisions: Decisions | null;
}

/** Decisions that depend on all documents that the person may see, so that shards must not make them by themselves. */
export interface Decisions {
  /** Whether the score alone decides, because so few documents have every word. */
  readonly isQuestion: boolean;
  /** Whether facets count only documents with every word. */
  readonly areFacetsOfAllWords: boolean;
  /** By slot: the words that are searched for in addition, because no document contains the word that was typed. */
  readonly corrections: ReadonlyMap<number, string>;
}
