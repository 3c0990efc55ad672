/** What writing and finding have to agree on: how a word counts, how it stands in the index, and what a cell holds. */

/** What one occurrence weighs, by where it stands. */
export const FIELD_WEIGHTS = { title: 10, keywords: 2, metadata: 2, body: 1 } as const;

export type TextField = keyof typeof FIELD_WEIGHTS;

export const TEXT_FIELDS = ["title", "keywords", "metadata", "body"] as const satisfies readonly TextField[];

/**
 * Characters of a document's texts that it is found by, the body's last: as much as one step takes in its time. Chapters of a longer
 * book are documents of their own.
 */
export const INDEXED_CHARACTERS_MAX = 200_000;

/** A text up to so many characters, and not within a word unless that is very long. */
export function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.slice(Math.max(max - 100, 0), max + 1).search(/\s\S*$/u);
  return text.slice(0, last < 0 ? max : Math.max(max - 100, 0) + last);
}

/** BM25's constants, as FTS5 and Lucene have them. */
const K1 = 1.2;
const B = 0.75;

/** How much of a count a document of this length takes to reach half of a word's weight. */
export function saturationOf(length: number, averageLength: number): number {
  return K1 * (1 - B + (B * length) / Math.max(averageLength, 1));
}

/** A word's weight in a document: none, up to its rarity times (K1 + 1). */
export function weightOf(rarity: number, count: number, saturation: number): number {
  return (rarity * (K1 + 1) * count) / (count + saturation);
}

/** How much it tells that a document holds a word which so many of all hold. */
export function rarityOf(documents: number, holding: number): number {
  const held = Math.min(holding, documents);
  return Math.log(1 + (documents - held + 0.5) / (held + 0.5));
}

/** A document with this many words has passages: words that stand together in one count in addition to the whole document. */
export const LONG_DOCUMENT_WORDS = 250;

/**
 * For each word of a long document, the index keeps which stretches of the document hold it: a bit for the title, then a bit for each
 * stretch. A passage is the title and as many stretches as have about 100 words.
 */
const STRETCHES = 63;
export const PASSAGE_WORDS = 100;
const STRETCH_WORDS_MIN = 25;

export function wordsOfStretch(length: number): number {
  return Math.max(STRETCH_WORDS_MIN, Math.ceil(length / STRETCHES));
}

/** Impact is count over saturation, in steps of the square root of two: finest where titles hold a word, which decides who comes first. */
export const LEVELS = 12;
const LOWEST_IMPACT_LOG = -1.5;

export function levelOf(count: number, saturation: number): number {
  const step = Math.floor((Math.log2(count / saturation) - LOWEST_IMPACT_LOG) * 2);
  return Math.min(Math.max(step, 0), LEVELS - 1);
}

/** The share of its greatest weight that a word has in documents of a level, about. */
export function shareOf(level: number): number {
  const impact = 2 ** (LOWEST_IMPACT_LOG + (level + 0.5) / 2);
  return impact / (impact + 1);
}

// Signs of Unicode's private use: no word of a text holds one.
const FIRST_LEVEL_SIGN = 0xe000;
const TERM_SIGN = "\ue200";

/** Parts a text where no phrase reaches across. */
export const BREAK = "\ue300";

/** A word of a level, as the index of levels holds it. */
export function atLevel(word: string, level: number): string {
  return word + String.fromCharCode(FIRST_LEVEL_SIGN + level);
}

/** A filter term, as the index of levels holds it. */
export function termToken(id: number): string {
  return TERM_SIGN + id;
}

/** Texts are quoted for FTS5; no word holds a quotation mark. */
export function quoted(text: string): string {
  return `"${text}"`;
}

/** Counts up to 128 exactly, greater ones within five percent. */
const EXACT_COUNTS = 128;
const COUNT_STEP = 1.05;

export function packCount(count: number): number {
  if (count <= EXACT_COUNTS) return count;
  return Math.min(EXACT_COUNTS + Math.round(Math.log(count / EXACT_COUNTS) / Math.log(COUNT_STEP)), 255);
}

export const COUNT_OF_BYTE: readonly number[] = Array.from({ length: 256 }, (_, byte) =>
  byte <= EXACT_COUNTS ? byte : EXACT_COUNTS * COUNT_STEP ** (byte - EXACT_COUNTS),
);

/** Of so many words that most documents hold, each document has a mark of two bits. */
export const COMMON_WORDS = 64;

/** Documents to a block of marks, and how many numbers of 32 bits hold one bit of each. */
const MARKS_BLOCK_BITS = 8;
const MARKS_BLOCK = 1 << MARKS_BLOCK_BITS;
const PLANE = MARKS_BLOCK / 32;

/**
 * Marks of a block, word by word: numbers with the low bit of each document's mark, then as many with the high bit. So the documents
 * that hold several words are found 32 at a time.
 */
export const MARKS = {
  /** Of a row's number, those that tell its place in a block. */
  bits: MARKS_BLOCK_BITS,
  block: MARKS_BLOCK,
  plane: PLANE,
  size: COMMON_WORDS * 2 * PLANE,
  blockBytes: COMMON_WORDS * 2 * PLANE * 4,
} as const;

/** Where in a block a word's marks begin. */
export function marksOf(slot: number): number {
  return slot * 2 * PLANE;
}

/** What a mark tells of a count: none, one, a few, or as many as a title is worth. */
export function markOf(count: number): number {
  return count === 0 ? 0 : count < 2 ? 1 : count < FIELD_WEIGHTS.title ? 2 : 3;
}

/** A usual count of each mark. */
export const COUNT_OF_MARK: readonly number[] = [0, 1, 3, FIELD_WEIGHTS.title + 1];

/** Where a number is; -1 where it is not. */
export function placeOf(sorted: Uint32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle] ?? 0;
    if (value === wanted) return middle;
    if (value < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** A document's cell: four numbers of 32 bits. A document that is gone has the class 0, which nobody holds. */
export const CELL = { class: 0, kind: 1, length: 2, day: 3, size: 4 } as const;

/** Cells to a block, as a power of two. */
const BLOCK_BITS = 10;
export const BLOCK_CELLS = 1 << BLOCK_BITS;
export const BLOCK_BYTES = BLOCK_CELLS * CELL.size * 4;

export function blockOf(row: number): number {
  return Math.floor(row / BLOCK_CELLS);
}

const DAY_SECONDS = 86_400;

/** A day in a cell: 0 where there is none. */
export function dayOfSeconds(seconds: number | null): number {
  return seconds === null ? 0 : Math.floor(seconds / DAY_SECONDS) + 1;
}

export type StateName =
  | "documents"
  | "length"
  | "cells"
  | "words"
  | "word key 0"
  | "word key 1"
  | "merging"
  | "merged"
  | "rights"
  | "upkeep failed"
  | "importing"
  | `import ${string}`;
