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
import { INDEXING_WORK, WORK } from "#documents/work.ts";
import { utf8Length } from "#protocol/utf8-length.ts";

/** A document's words as they are indexed. */
export interface WordCounts {
  /** Weighted occurrences. */
  readonly counts: ReadonlyMap<string, number>;
  /** In words, not counting further spellings. */
  readonly length: number;
  readonly texts: readonly TextWords[];
  /** What reading and indexing them takes, in microseconds. */
  readonly work: number;
}

export type DocumentTexts = Readonly<Record<TextField, string>>;

/** Reads a document's texts, title first, until everything is read or the reading has taken its share of a step. */
export function countWords(texts: DocumentTexts): WordCounts {
  const reading = new Reading();
  // What is stored takes time, too.
  const all = Object.values(texts).join("");
  const bytes = utf8Length(all);
  reading.work = bytes * WORK.storedByte + (bytes - all.length) * WORK.laterByte;
  const read = TEXT_FIELDS.map((field) => reading.read(field, texts[field]));
  return { counts: reading.counts, length: reading.length, texts: read, work: reading.work };
}

/** Texts that consist of lines, which are separate texts. */
const BY_LINE: readonly TextField[] = ["keywords", "metadata"];

export interface TextWords {
  readonly field: TextField;
  readonly lines: readonly (readonly string[])[];
  /** Further spellings, which aren't part of phrases and don't make a text longer. */
  readonly compounds: readonly string[];
}

/** How many characters are read before the work is looked at again. Each may stand for 18 letters. */
const PIECE_CHARACTERS = 500;

/** Counts words as far as the work for one document allows: lists of numbers and rare scripts cost more than prose. */
class Reading {
  readonly counts = new Map<string, number>();
  length = 0;
  /** What was done, in microseconds. */
  work = 0;
  #characters = INDEXED_CHARACTERS_MAX;

  read(field: TextField, given: string): TextWords {
    const text = beginningOf(given, this.#characters);
    const weight = FIELD_WEIGHTS[field];
    const compounds: string[] = [];
    const lines: string[][] = [];
    for (const line of BY_LINE.includes(field) ? text.split("\n") : [text]) {
      if (this.#isOver) break;
      this.work += WORK.line;
      this.#characters -= line.length + 1;
      const words: string[] = [];
      for (let at = 0; at < line.length && !this.#isOver; ) {
        const end = endOfPiece(line, at);
        this.#readPiece(line.slice(at, end), weight, words, compounds);
        at = end;
      }
      lines.push(words);
      this.length += words.length;
    }
    return { field, lines, compounds };
  }

  get #isOver(): boolean {
    return this.work >= INDEXING_WORK;
  }

  #readPiece(piece: string, weight: number, line: string[], compounds: string[]): void {
    const words = wordsIn(piece);
    // One letter may stand for many, so what counts is the longer of the two.
    const bytes = Math.max(utf8Length(piece), utf8Length(words.join(" ")));
    this.work += bytes * (bytes === piece.length ? WORK.readByte : WORK.foldedByte);
    for (const word of words) {
      if (this.#isOver) return;
      this.#add(word, weight, WORK.word);
      line.push(word);
    }
    for (const { word } of compoundsIn(piece)) {
      if (this.#isOver) return;
      this.#add(word, weight, this.counts.has(word) ? WORK.repeatedCompound : WORK.compound);
      compounds.push(word);
    }
  }

  #add(word: string, weight: number, work: number): void {
    const before = this.counts.get(word);
    this.counts.set(word, (before ?? 0) + weight);
    this.work += work + (before === undefined ? WORK.differentWord : 0);
  }
}

/** Returns where a piece of a text ends: at the end of a line, of a sentence or at least of a word, if there is one. */
function endOfPiece(text: string, start: number): number {
  const most = start + PIECE_CHARACTERS;
  if (most >= text.length) return text.length;
  const piece = text.slice(start, most);
  let line = piece.lastIndexOf("\n");
  // The next line has the rest of a word.
  while (line > 0 && /[-\u2010]/.test(piece.charAt(line - 1))) line = piece.lastIndexOf("\n", line - 1);
  const end = Math.max(line, piece.lastIndexOf(". "), piece.lastIndexOf("。"));
  if (end > PIECE_CHARACTERS / 2) return start + end + 1;
  for (let at = piece.length; at > PIECE_CHARACTERS / 2; at--) {
    if (BETWEEN_WORDS.test(piece[at - 1] ?? "")) return start + at;
  }
  return (text.charCodeAt(most) & 0xfc00) === 0xdc00 ? most - 1 : most;
}

const BETWEEN_WORDS = /[\s\u200b]/;

/** Packs hashes in order, four bytes each, followed by one byte of count for each. */
export function packedTermVector(counts: ReadonlyMap<string, number>, hash: WordHash): Uint8Array<ArrayBuffer> {
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
  termVector: Uint8Array<ArrayBuffer>,
  hash: WordHash,
): Uint8Array<ArrayBuffer> | null {
  if (length < LONG_DOCUMENT_WORDS) return null;
  const hashes = new Uint32Array(termVector.buffer, 0, termVector.length / 5);
  const bits = new Uint32Array(hashes.length * 2);
  const places = new Map<string, number>();
  const size = wordsOfStretch(length);
  let at = 0;
  for (const { field, lines } of texts) {
    for (const word of lines.flat()) {
      const bit = field === "title" ? 0 : Math.floor(at++ / size) + 1;
      let place = places.get(word);
      if (place === undefined) places.set(word, (place = placeOf(hashes, hash(word))));
      const half = place * 2 + (bit >> 5);
      bits[half] = (bits[half] ?? 0) | (1 << (bit & 31));
    }
  }
  return new Uint8Array(bits.buffer);
}
