/**
 * Limits of one search. They count work, because in production the clock stands still in synchronous code. And they count only what
 * the person may see: what others wrote must not show in where a search stops (docs/decisions/0037-limits-count-what-is-seen.md).
 */
export interface FindLimits {
  /** If a person may see at most this many of the documents that the filters leave, all of these are scored exactly. */
  readonly narrow: number;
  /** Entries of the index that are used from the heaviest words down, and how many more for each word. */
  readonly entries: number;
  readonly entriesByWord: number;
  /** Documents that are scored exactly. */
  readonly weighed: number;
  /** The same for those with all words. */
  readonly weighedTogether: number;
  /** The most bytes of their term vectors. A planted document of a million words isn't worth more than others. */
  readonly weighedBytes: number;
  /** How many of the first documents are also scored by passages, if long, and the most bytes of their entries. */
  readonly passages: number;
  readonly passageBytes: number;
  /** A word that fewer documents contain is read completely. */
  readonly sample: number;
  /** The newest documents of all words together, from which the rarity of other words is estimated. */
  readonly glances: number;
  /** The newest documents with all words that are looked up, and how many entries of all words these may be among. */
  readonly together: number;
  readonly togetherEntries: number;
  /** Documents with other words, which are looked up to find those that also contain common ones. */
  readonly unmappedEntries: number;
  /** If a person may see at most this many documents, each is rated by the impact bitmaps of common words. */
  readonly promised: number;
  /** Documents whose texts are read for phrases, and the most words of these together. */
  readonly checked: number;
  readonly checkedWords: number;
  /** How many of the first documents are also scored by words near each other, and how many characters of each body. */
  readonly begun: number;
  readonly begunCharacters: number;
  /** Documents whose titles are compared with what was typed. */
  readonly titles: number;
  /** How many of the first documents are compared with each other, and how many passages are read for it. */
  readonly compared: number;
  readonly comparedPassages: number;
  /** Completions of an unfinished word, and forms of a word, that are looked for. */
  readonly completions: number;
  readonly forms: number;
  /** Words of the vocabulary that are read at a time. */
  readonly vocabulary: number;
  /** The newest documents that a filter by author or metadata finds. */
  readonly filterRows: number;
  /** Documents that facets count. */
  readonly facetDocuments: number;
}

/** Measured: docs/performance.md. */
export const FIND_LIMITS: FindLimits = {
  narrow: 3000,
  entries: 4000,
  entriesByWord: 1000,
  weighed: 400,
  weighedTogether: 600,
  weighedBytes: 8_000_000,
  passages: 100,
  passageBytes: 4_000_000,
  sample: 1000,
  glances: 2000,
  together: 3000,
  togetherEntries: 200_000,
  unmappedEntries: 20_000,
  promised: 60_000,
  checked: 400,
  checkedWords: 60_000,
  begun: 20,
  begunCharacters: 2000,
  titles: 200,
  compared: 60,
  comparedPassages: 20,
  completions: 16,
  forms: 8,
  vocabulary: 20_000,
  filterRows: 200_000,
  facetDocuments: 1000,
};
