import { compoundsIn } from "#documents/compounds.ts";
import {
  beginningOf,
  FIELD_WEIGHTS,
  INDEXED_CHARACTERS_MAX,
  LONG_DOCUMENT_WORDS,
  packCount,
  placeOf,
  TEXT_FIELDS,
  type TextField,
  wordsOfStretch,
} from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { wordsIn } from "#documents/words.ts";

/** A document's words as they are indexed. */
export interface WordCounts {
  /** Weighted occurrences. */
  readonly counts: ReadonlyMap<string, number>;
  /** In words, not counting further spellings. */
  readonly length: number;
  readonly texts: readonly TextWords[];
}

export type DocumentTexts = Readonly<Record<TextField, string>>;

export function countWords(texts: DocumentTexts): WordCounts {
  const counts = new Map<string, number>();
  let length = 0;
  const read = wordsOfTexts(texts);
  for (const { field, lines, compounds } of read) {
    for (const word of [...lines.flat(), ...compounds])
      counts.set(word, (counts.get(word) ?? 0) + FIELD_WEIGHTS[field]);
    length += lines.reduce((sum, line) => sum + line.length, 0);
  }
  return { counts, length, texts: read };
}

/** Texts that consist of lines, which are separate texts. */
const BY_LINE: readonly TextField[] = ["keywords", "metadata"];

export interface TextWords {
  readonly field: TextField;
  readonly lines: readonly (readonly string[])[];
  /** Further spellings, which aren't part of phrases and don't make a text longer. */
  readonly compounds: readonly string[];
}

/**
 * The most words of a document that are indexed, and the most different ones: as much as one step can write in its time. 200,000
 * characters of prose have fewer; lists of numbers, and scripts that are cut by character, have more.
 */
const WORDS_MAX = 30_000;
const DIFFERENT_WORDS_MAX = 10_000;

/** Returns the words of each text that are indexed. */
export function wordsOfTexts(texts: DocumentTexts): readonly TextWords[] {
  let left = INDEXED_CHARACTERS_MAX;
  const first = firstWords();
  return TEXT_FIELDS.map((field) => {
    const text = beginningOf(texts[field], left);
    left -= text.length;
    const lines = BY_LINE.includes(field) ? text.split("\n") : [text];
    return {
      field,
      lines: lines.map((line) => first(wordsIn(line))),
      compounds: compoundsIn(text).map(({ word }) => word),
    };
  });
}

/** Returns a function that takes words of one document as far as the limits allow. */
function firstWords(): (words: readonly string[]) => readonly string[] {
  const different = new Set<string>();
  let left = WORDS_MAX;
  return (words) => {
    let taken = 0;
    for (; taken < words.length && left > 0; taken++, left--) {
      different.add(words[taken] ?? "");
      if (different.size <= DIFFERENT_WORDS_MAX) continue;
      left = 0;
      break;
    }
    return words.slice(0, taken);
  };
}

/** Packs hashes in order, four bytes each, followed by one byte of count for each. */
export function packedForward(counts: ReadonlyMap<string, number>, hash: WordHash): Uint8Array<ArrayBuffer> {
  // A hash and its count are combined in one number, which sorts by hash.
  const entries = Float64Array.from(counts, ([word, count]) => hash(word) * BYTE + packCount(count)).sort();
  const bytes = new Uint8Array(entries.length * 5);
  const hashes = new Uint32Array(bytes.buffer, 0, entries.length);
  for (const [at, entry] of entries.entries()) {
    hashes[at] = Math.floor(entry / BYTE);
    bytes[entries.length * 4 + at] = entry % BYTE;
  }
  return bytes;
}

const BYTE = 256;

/**
 * Packs 64 bits for each word of a long document, in the order of hashes: whether the title contains the word, and which stretches of
 * the other texts do. `null`: the document isn't long.
 */
export function packedStretches(
  { texts, length }: WordCounts,
  forward: Uint8Array<ArrayBuffer>,
  hash: WordHash,
): Uint8Array<ArrayBuffer> | null {
  if (length < LONG_DOCUMENT_WORDS) return null;
  const hashes = new Uint32Array(forward.buffer, 0, forward.length / 5);
  const bits = new Uint32Array(hashes.length * 2);
  const places = new Map<string, number>();
  const size = wordsOfStretch(length);
  let at = 0;
  for (const { field, lines } of texts) {
    for (const word of lines.flat()) {
      const bit = field === "title" ? 0 : Math.floor(at++ / size) + 1;
      const place = places.get(word) ?? placeOf(hashes, hash(word));
      places.set(word, place);
      const half = place * 2 + (bit >> 5);
      bits[half] = (bits[half] ?? 0) | (1 << (bit & 31));
    }
  }
  return new Uint8Array(bits.buffer);
}
