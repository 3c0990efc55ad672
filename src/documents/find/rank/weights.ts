/**
 * The constants of ranking. Collections with judgements measured each of them: docs/decisions/0046-choosing-the-ranking.md. BM25's own
 * and those of fields are in `index-rules.ts`, because the index depends on them. How much a search reads is in `find/limits.ts`.
 */

/**
 * A search with this many words is a question, unless many documents have all of them, which then come first. What answers a question often
 * lacks one of its words, and what has them all is often about something else. For two words, titles by two of their words lost up to .007.
 */
export const QUESTION_WORDS = 3;
export const MANY_DOCUMENTS = 200;

/**
 * The share of a document's score that comes from the words as written, whatever other forms count. Without it, half of the gain is
 * lost; three tenths are worse.
 */
export const WRITTEN_SHARE = 0.2;

/**
 * The share of a long document's score that comes from its best passage: of one with every word, and of one with some. Readmes .850 →
 * .862, abstracts joined with others .440 → .486.
 */
export const PASSAGE_SHARE = { everyWord: 0.25, someWords: 0.5 } as const;

/** How much a synonym counts, so that the typed word comes first if both say as much. */
export const SYNONYM_WORTH = 0.8;

/** A word that was typed several times weighs up to this many times as much. CISI .321 → .344, LISA .443 → .479. */
export const REPEATED_WORTH_MAX = 3;

/**
 * By how much the score increases if all words are next to those that they were typed next to; within how many words they still count as
 * near, those that only join others included; and the weight of such pairs. Medical sections .691 → .707, news .660 → .673; twice each
 * number is within .002.
 */
export const NEAR_WORTH = 0.3;
export const NEAR_WORDS = 4;
export const LOOSE_WEIGHT = 0.5;

/**
 * By how much the score increases if a document was updated today, compared with one from long ago. Set by hand: collections with
 * judgements have no times.
 */
export const RECENT_WORTH = 0.15;
export const RECENT_HALF_LIFE_DAYS = 180;

/** How much more a document counts in the language of the person who asks: enough for ties and near-ties. */
export const OWN_LANGUAGE_WORTH = 1.03;

/**
 * With up to this many words, the title is a field of its own (`TITLE_WORTH`). Pages by product and topic: MRR .817 → .843, and held out
 * .933 → .940; by identifiers .498 → .553. In longer questions, only a title that lacks at most one of the words and says nothing else:
 * topics .882 → .894, and held out .959 → .965. Every title would cost Cranfield .004.
 */
export const TITLE_WORDS_MAX = 3;

/**
 * How much more a document counts whose title says nothing but what was typed: "Drop", not "Unsafe Rust", for "rust drop". Topics .889 →
 * .896, in German .981 → 1.000, and held out .958 → .970 and .980 → .989. With 1.2, German compounds lose .009. A single word as typed comes
 * before its other forms, also in titles.
 */
export const ASKED_TITLE_WORTH = 1.15;
