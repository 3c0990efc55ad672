/** How much one search may do. All of it counts work: in production the clock stands still within synchronous code. */
export interface FindLimits {
  /** Who may see at most so many of the documents that filters leave gets all of these weighed exactly. */
  readonly narrow: number;
  /** Entries of the index that are read from the heaviest words down, and so many more for each word. */
  readonly entries: number;
  readonly entriesByWord: number;
  /** The same where few of the entries may be seen. */
  readonly sparseEntries: number;
  /** Documents that are weighed exactly. */
  readonly weighed: number;
  /** The same of those that hold all words. */
  readonly weighedTogether: number;
  /** What their forward entries have together at most: a planted document of a million words is not worth more than others. */
  readonly weighedBytes: number;
  /** How many of the first documents are also weighed by their passages, if they are long, and the bytes of their entries. */
  readonly passages: number;
  readonly passageBytes: number;
  /** A word that has fewer entries is read to its end. */
  readonly sample: number;
  /** The newest entries of all words together from which the rarity of others is told. */
  readonly glances: number;
  /** Documents with all words that are looked for at once, and the entries that this may walk. */
  readonly together: number;
  readonly togetherEntries: number;
  /** Entries of other words that are read to find documents which hold common ones beside them. */
  readonly markedEntries: number;
  /** Who may see at most so many of the documents is told of each by the marks of common words. */
  readonly promised: number;
  /** Documents whose texts are read for phrases, and the words of these together. */
  readonly checked: number;
  readonly checkedWords: number;
  /** Of the first documents, so many are also weighed by which words stand near each other, in so many characters of each body. */
  readonly begun: number;
  readonly begunCharacters: number;
  /** Documents whose titles are compared with what was typed. */
  readonly titles: number;
  /** Completions of an unfinished word, and forms of a word, that are looked for in the index. */
  readonly completions: number;
  readonly forms: number;
  /** The same where all that the person may see is weighed. */
  readonly narrowWords: number;
  /** Entries of the index that are read for the completions of one word. */
  readonly completedEntries: number;
  /** Words of the newest documents that tell which words the person may see most, where that is not known of all documents. */
  readonly learnt: number;
  /** Words of the vocabulary that are looked at for these. */
  readonly vocabulary: number;
  /** Where fewer documents have all words, those with some follow. */
  readonly few: number;
  /** Rows that a filter by author or metadata reads, the newest. */
  readonly filterRows: number;
  /** Documents that facets tell of. */
  readonly facetDocuments: number;
}

/** Measured: docs/performance.md. */
export const FIND_LIMITS: FindLimits = {
  narrow: 3000,
  entries: 4000,
  entriesByWord: 1000,
  sparseEntries: 30_000,
  weighed: 400,
  weighedTogether: 600,
  weighedBytes: 8_000_000,
  passages: 100,
  passageBytes: 4_000_000,
  sample: 1000,
  glances: 2000,
  together: 3000,
  togetherEntries: 200_000,
  markedEntries: 20_000,
  promised: 60_000,
  checked: 400,
  checkedWords: 60_000,
  begun: 20,
  begunCharacters: 2000,
  titles: 200,
  completions: 16,
  forms: 8,
  narrowWords: 4000,
  completedEntries: 8000,
  learnt: 100_000,
  vocabulary: 20_000,
  few: 200,
  filterRows: 200_000,
  facetDocuments: 1000,
};
