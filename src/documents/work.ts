/**
 * What parts of changes cost, in microseconds of CPU on a quiet machine. `npm run bench:steps` measures items of every kind, and fails if
 * one costs more than one and a half times what this says. The figures include shares of garbage collection and of SQLite's merges.
 */
export const WORK = {
  /** Any change, and a document's row with its index entry, including one that is replaced. */
  change: 150,
  document: 800,
  /** A byte of a text as it is stored, as it is read for the index, and as it is read if not all of it is ASCII. */
  storedByte: 0.008,
  /** The same for each byte after a character's first: texts beyond ASCII are converted. */
  laterByte: 0.015,
  readByte: 0.04,
  foldedByte: 0.12,
  /** A byte of a text whose words weren't counted yet: with the words that it may contain. */
  unreadByte: 0.6,
  /** A separate text: a tag, a value, a line. */
  line: 2,
  /** An occurrence of a word, and a word that the document has not had before: two lists of the index get an entry. */
  word: 0.6,
  differentWord: 2.5,
  /** A further spelling, such as a part of a name, and one that the document has had before. */
  compound: 4,
  repeatedCompound: 1.5,
  /** A word or stem that the vocabulary learns, and one that is looked up there. */
  learnt: 12,
  lookedUp: 1,
  /** A principal in a list, even if no document has named it before, and a group of an intersection. */
  principal: 10,
  intersectionGroup: 13,
  /** A principal of a list that was resolved before the step of its document. */
  resolvedPrincipal: 0.3,
  /** A user, a group or a membership. */
  rights: 60,
} as const;

/** The most that one step does, so that others wait for at most 35 milliseconds, also when garbage is collected. */
export const STEP_WORK = 20_000;

/** The most that reading and indexing one document takes. What comes after isn't indexed. */
export const INDEXING_WORK = 20_000;

/** The most that one step spends on new words. The alarm learns the rest. */
export const LEARNING_WORK = 4000;

/** The most that one step of resolving a long list of principals does. */
export const RESOLVING_WORK = 12_000;
