import { compoundsIn } from "#documents/compounds.ts";
import {
  atLevel,
  beginningOf,
  BREAK,
  FIELD_WEIGHTS,
  hashOf,
  INDEXED_CHARACTERS_MAX,
  levelOf,
  LONG_DOCUMENT_WORDS,
  packCount,
  placeOf,
  saturationOf,
  TEXT_FIELDS,
  type TextField,
  termToken,
  wordsOfStretch,
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
  const read = wordsOfTexts(texts);
  for (const { field, lines, compounds } of read) {
    for (const word of [...lines.flat(), ...compounds])
      counts.set(word, (counts.get(word) ?? 0) + FIELD_WEIGHTS[field]);
    length += lines.reduce((sum, line) => sum + line.length, 0);
    places.push([...lines.map((line) => line.join(" ")), ...compounds].join(` ${BREAK} `));
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
  const stretches = length < LONG_DOCUMENT_WORDS ? null : packedStretches(read, length, forward);
  store.exec("INSERT INTO forward (id, words, stretches) VALUES (?1, ?2, ?3)", row, forward, stretches);
  // The cell that is written next moves the version.
  const version = stateOf(store, "cells") + 1;
  for (const words of commonWordsOf(store)) writeMarks(store, words, [countedWords(row, forward)], version);
  if (!learnWords(store, [...counts.keys()])) store.exec("INSERT OR IGNORE INTO unlearnt (id) VALUES (?1)", row);
  return length;
}

interface TextWords {
  readonly field: TextField;
  readonly lines: readonly (readonly string[])[];
  /** Further spellings, which no phrase holds and which make no text longer. */
  readonly compounds: readonly string[];
}

/** The words that the index has of each text. */
function wordsOfTexts(texts: IndexEntry["texts"]): readonly TextWords[] {
  let left = INDEXED_CHARACTERS_MAX;
  return TEXT_FIELDS.map((field) => {
    const text = beginningOf(texts[field], left);
    left -= text.length;
    const lines = BY_LINE.includes(field) ? text.split("\n") : [text];
    return { field, lines: lines.map(wordsIn), compounds: compoundsIn(text).map(({ word }) => word) };
  });
}

/**
 * Learns more words of a document that brought too many at once.
 *
 * @returns whether there was something to learn
 */
export function learnNext(store: Store): boolean {
  const [next] = store.exec<Record<TextField, string> & { id: number; gone: number }>(
    `SELECT u.id, d.id IS NULL AS gone, d.title, d.keywords, d.metadata_words AS metadata, d.body
     FROM unlearnt u LEFT JOIN documents d ON d.id = u.id LIMIT 1`,
  );
  if (!next) return false;
  const words =
    next.gone === 1
      ? []
      : new Set(wordsOfTexts(next).flatMap(({ lines, compounds }) => [...lines.flat(), ...compounds]));
  if (learnWords(store, [...words])) store.exec("DELETE FROM unlearnt WHERE id = ?1", next.id);
  return true;
}

export function isSomethingUnlearnt(store: Store): boolean {
  return store.exec("SELECT 1 FROM unlearnt LIMIT 1").length > 0;
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

/** Of each word, in the order of its hash, 64 bits: whether the title holds it, and which stretches of the other texts. */
function packedStretches(
  texts: readonly TextWords[],
  length: number,
  forward: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const hashes = new Uint32Array(forward.buffer, 0, forward.length / 5);
  const bits = new Uint32Array(hashes.length * 2);
  const places = new Map<string, number>();
  const size = wordsOfStretch(length);
  let at = 0;
  for (const { field, lines } of texts) {
    for (const word of lines.flat()) {
      const bit = field === "title" ? 0 : Math.floor(at++ / size) + 1;
      const place = places.get(word) ?? placeOf(hashes, hashOf(word));
      places.set(word, place);
      const half = place * 2 + (bit >> 5);
      bits[half] = (bits[half] ?? 0) | (1 << (bit & 31));
    }
  }
  return new Uint8Array(bits.buffer);
}
