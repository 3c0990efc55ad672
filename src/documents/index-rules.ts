/** Rules that writing and searching share: how words count, how the index stores them, and what doc values there are. */

import type { FilterTerm } from "./engine.ts";

/** The weight of one occurrence, by field. */
export const FIELD_WEIGHTS = { title: 10, keywords: 2, metadata: 2, body: 1 } as const;

export type TextField = keyof typeof FIELD_WEIGHTS;

export const TEXT_FIELDS = ["title", "keywords", "metadata", "body"] as const satisfies readonly TextField[];

/**
 * The most characters of a document's texts that are indexed, the body last: as much as one step can do in its time. Chapters of
 * a longer book should be separate documents.
 */
export const INDEXED_CHARACTERS_MAX = 200_000;

/** Returns the beginning of a text, up to `max` characters. Doesn't cut a word, unless it is very long. */
export function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.slice(Math.max(max - 100, 0), max + 1).search(/\s\S*$/u);
  return text.slice(0, last < 0 ? max : Math.max(max - 100, 0) + last);
}

/** BM25's constants, with the values of FTS5 and Lucene. */
const K1 = 1.2;
const B = 0.75;

/** Returns the count with which a word reaches half of its greatest weight, in a document of this length. */
export function saturationOf(length: number, averageLength: number): number {
  return K1 * (1 - B + (B * length) / Math.max(averageLength, 1));
}

/** Returns a word's weight in a document: from 0 to its idf times (K1 + 1). */
export function weightOf(idf: number, count: number, saturation: number): number {
  return (idf * (K1 + 1) * count) / (count + saturation);
}

/** Returns the inverse document frequency: how much it says that a document contains a word which `holding` of all documents contain. */
export function idfOf(documents: number, holding: number): number {
  const held = Math.min(holding, documents);
  return Math.log(1 + (documents - held + 0.5) / (held + 0.5));
}

/**
 * The number of words from which a document has passages: words that are close together are then scored in addition to the whole
 * document.
 */
export const LONG_DOCUMENT_WORDS = 250;

/**
 * The most stretches of a document. For each word of a long document, the index stores which stretches contain it: one bit for
 * the title, then one bit for each stretch. A passage consists of the title and as many stretches as have about 100 words.
 */
const STRETCHES = 63;
export const PASSAGE_WORDS = 100;
const STRETCH_WORDS_MIN = 25;

export function wordsOfStretch(length: number): number {
  return Math.max(STRETCH_WORDS_MIN, Math.ceil(length / STRETCHES));
}

/** How much the title's BM25 counts beside that of the other texts, and how many words a title usually has. */
export const TITLE_WORTH = 2;
export const TITLE_LENGTH = 6;

/**
 * The number of impact buckets. A bucket is a range of impacts, in steps of the square root of two. An impact is the share s of its
 * greatest weight that a word has in a document, title and other texts together, as s / (1 - s).
 */
export const IMPACT_BUCKETS = 12;
const LOWEST_IMPACT_LOG = -4;

/** Returns the bucket of a word: in the title and in the other texts, its count and the saturation there. */
export function impactBucketOf(
  inTitle: number,
  titleSaturation: number,
  elsewhere: number,
  saturation: number,
): number {
  const weight = (TITLE_WORTH * inTitle) / (inTitle + titleSaturation) + elsewhere / (elsewhere + saturation);
  const share = weight / (TITLE_WORTH + 1);
  const step = Math.floor((Math.log2(share / (1 - share)) - LOWEST_IMPACT_LOG) * 2);
  return Math.min(Math.max(step, 0), IMPACT_BUCKETS - 1);
}

/** Returns roughly which share of its greatest weight a word has in documents of a bucket. */
export function weightShareOf(bucket: number): number {
  const impact = 2 ** (LOWEST_IMPACT_LOG + (bucket + 0.5) / 2);
  return impact / (impact + 1);
}

// Private-use characters of Unicode: no word of a text contains one.
const FIRST_BUCKET_SIGN = 0xe000;
const TERM_SIGN = "\ue200";

/** Separates texts, so that no phrase spans two of them. */
export const BREAK = "\ue300";

/** Begins words in capitals that mean something else in lower case: IT, WHO. */
export const CAPITALS = "\ue400";

/** Returns a word with its impact bucket, as stored in the index of impacts. */
export function withBucket(word: string, bucket: number): string {
  return word + String.fromCharCode(FIRST_BUCKET_SIGN + bucket);
}

/** Returns a filter term's token in the index of impacts. */
export function termToken(id: number): string {
  return TERM_SIGN + id;
}

/** Returns the filter term of all documents that have a value for a metadata key. */
export function keyInUse(id: number): FilterTerm {
  return [`h${id}`, ""];
}

/**
 * The filter term of all documents with more values of metadata than filters find. An app that must not find a value finds none of these.
 */
export const VALUES_LEFT_OUT: FilterTerm = ["more", ""];

/** The most object types of one datasource. No filter by type finds documents of further types, which count as having none. */
export const OBJECT_TYPES_MAX = 1000;

/** Quotes a text for FTS5. No word contains a quotation mark. */
export function quoted(text: string): string {
  return `"${text}"`;
}

/** Counts up to 128 are stored exactly, greater ones within five percent. */
const EXACT_COUNTS = 128;
const COUNT_STEP = 1.05;

export function packCount(count: number): number {
  if (count <= EXACT_COUNTS) return count;
  return Math.min(EXACT_COUNTS + Math.round(Math.log(count / EXACT_COUNTS) / Math.log(COUNT_STEP)), 255);
}

export const COUNT_OF_BYTE: readonly number[] = Array.from({ length: 256 }, (_, byte) =>
  byte <= EXACT_COUNTS ? byte : EXACT_COUNTS * COUNT_STEP ** (byte - EXACT_COUNTS),
);

/** The most common words that have impact bitmaps: two bits for each document. */
export const COMMON_WORDS = 64;

/** Documents per block of impact bitmaps, and how many 32-bit numbers have one bit for each of them. */
const BITMAP_BLOCK_BITS = 8;
const BITMAP_BLOCK_DOCUMENTS = 1 << BITMAP_BLOCK_BITS;
const PLANE = BITMAP_BLOCK_DOCUMENTS / 32;

/**
 * The layout of a block of impact bitmaps. For each word, it contains numbers with the low bit of each document's coarse impact, then as many with
 * the high bit. This way, documents with several words are found 32 at a time.
 */
export const BITMAP_BLOCK = {
  /** How many of a row id's low bits give its position in a block. */
  bits: BITMAP_BLOCK_BITS,
  block: BITMAP_BLOCK_DOCUMENTS,
  plane: PLANE,
  size: COMMON_WORDS * 2 * PLANE,
  blockBytes: COMMON_WORDS * 2 * PLANE * 4,
} as const;

/** Returns where a word's bitmaps begin in a block. */
export function bitmapsOf(slot: number): number {
  return slot * 2 * PLANE;
}

/** Returns the coarse impact of a count: none, one, a few, or at least as many as one occurrence in a title. */
export function coarseImpactOf(count: number): number {
  return count === 0 ? 0 : count < 2 ? 1 : count < FIELD_WEIGHTS.title ? 2 : 3;
}

/** A typical count for each coarse impact. */
export const COUNT_OF_COARSE_IMPACT: readonly number[] = [0, 1, 3, FIELD_WEIGHTS.title + 1];

/** Returns the position of a number in a sorted array; -1: it isn't there. */
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

/** A document's doc values: four 32-bit numbers. If nobody may see the document, or it was removed, its access class is 0. */
export const DOC_VALUE = { accessClass: 0, kind: 1, length: 2, day: 3, size: 4 } as const;

/** DocValues per block, as a power of two. */
const BLOCK_BITS = 10;
export const BLOCK_DOCUMENTS = 1 << BLOCK_BITS;
export const BLOCK_BYTES = BLOCK_DOCUMENTS * DOC_VALUE.size * 4;

export function blockOf(row: number): number {
  return Math.floor(row / BLOCK_DOCUMENTS);
}

const DAY_SECONDS = 86_400;

/** Returns a day as doc values store it: 0 if there is none. */
export function dayOfSeconds(seconds: number | null): number {
  return seconds === null ? 0 : Math.floor(seconds / DAY_SECONDS) + 1;
}

/**
 * The version of the rules by which a document's words and author are indexed. Increase it if these change for a stored document: objects then index all of
 * their documents again.
 */
export const INDEX_VERSION = 5;

export type StateName =
  | "schema"
  | "oldest reader"
  | "served by"
  | `rest of ${number}`
  | "documents"
  | "length"
  | "doc values"
  | "rows"
  | "compacting"
  | "trimmed"
  | "unindexed"
  | "index version"
  | "reindexed"
  | "words"
  | "word key 0"
  | "word key 1"
  | "merging"
  | "merged"
  | "rights"
  | "memberships"
  | "generation"
  | "upkeep failed"
  | "importing"
  | `import ${string}`
  | `unheld ${string}`
  | `removed metadata group ${string}`
  | `fate of removed documents of ${string}`;
