import {
  atLevel,
  BREAK,
  FIELD_WEIGHTS,
  hashOf,
  levelOf,
  packCount,
  saturationOf,
  TEXT_FIELDS,
  type TextField,
  termToken,
} from "#documents/index-rules.ts";
import { averageLengthOf, stateOf } from "#documents/state.ts";
import type { Store } from "#documents/store.ts";
import { wordsIn } from "#documents/words.ts";
import { commonWordsOf, countedWords, writeMarks } from "./marks.ts";
import { learnWords } from "./vocabulary.ts";

/** What a document is found by. */
export interface IndexEntry {
  readonly texts: Readonly<Record<TextField, string>>;
  /** Ids of filter terms. */
  readonly terms: readonly number[];
}

/**
 * Different words of one document that it is found by; further ones are left out, and no phrase reaches across them. No text that
 * people write has so many: a million characters of made-up words would hold everybody up.
 */
const DISTINCT_WORDS_MAX = 50_000;

/** Texts that consist of lines, each of which is a text of its own. */
const BY_LINE: readonly TextField[] = ["keywords", "metadata"];

/**
 * Puts the words of a document into the index, which holds none of it.
 *
 * @returns its length in words
 */
export function writeIndexEntry(store: Store, row: number, { texts, terms }: IndexEntry): number {
  const places: string[] = [];
  const counts = new Map<string, number>();
  let length = 0;
  for (const field of TEXT_FIELDS) {
    const lines = (BY_LINE.includes(field) ? texts[field].split("\n") : [texts[field]]).map(wordsIn);
    for (const word of lines.flat()) {
      const known = counts.get(word);
      if (known !== undefined || counts.size < DISTINCT_WORDS_MAX) {
        counts.set(word, (known ?? 0) + FIELD_WEIGHTS[field]);
      }
    }
    length += lines.reduce((sum, line) => sum + line.length, 0);
    const isWhole = counts.size < DISTINCT_WORDS_MAX;
    const wordsOf = (line: readonly string[]) =>
      isWhole ? line : line.map((word) => (counts.has(word) ? word : BREAK));
    places.push(lines.map((line) => wordsOf(line).join(" ")).join(` ${BREAK} `));
  }
  const saturation = saturationOf(length, averageLengthOf(store) ?? length);
  const tokens = [...counts].map(([word, count]) => atLevel(word, levelOf(count, saturation)));
  store.exec("INSERT INTO places (rowid, title, keywords, metadata, body) VALUES (?1, ?2, ?3, ?4, ?5)", row, ...places);
  store.exec(
    "INSERT INTO levels (rowid, words) VALUES (?1, ?2)",
    row,
    [...tokens, ...new Set(terms.map(termToken))].join(" "),
  );
  const forward = packedForward(counts);
  store.exec("INSERT INTO forward (id, words) VALUES (?1, ?2)", row, forward);
  // The cell that is written next moves the version.
  const version = stateOf(store, "cells") + 1;
  for (const words of commonWordsOf(store)) writeMarks(store, words, [countedWords(row, forward)], version);
  learnWords(store, [...counts.keys()]);
  return length;
}

/** Takes a document's words out of the index. */
export function removeIndexEntry(store: Store, row: number): void {
  for (const statement of [
    "DELETE FROM places WHERE rowid = ?1",
    "DELETE FROM levels WHERE rowid = ?1",
    "DELETE FROM forward WHERE id = ?1",
  ]) {
    store.exec(statement, row);
  }
}

/** Hashes in order, four bytes each; then a byte of count each. */
function packedForward(counts: ReadonlyMap<string, number>): Uint8Array<ArrayBuffer> {
  // A hash and its count in one number, which sorts by hash.
  const entries = Float64Array.from(counts, ([word, count]) => hashOf(word) * BYTE + packCount(count)).sort();
  const bytes = new Uint8Array(entries.length * 5);
  const hashes = new Uint32Array(bytes.buffer, 0, entries.length);
  for (const [at, entry] of entries.entries()) {
    hashes[at] = Math.floor(entry / BYTE);
    bytes[entries.length * 4 + at] = entry % BYTE;
  }
  return bytes;
}

const BYTE = 256;
