import { atLevel, BREAK, levelOf, saturationOf, type TextField, termToken } from "#documents/index-rules.ts";
import { averageLengthOf, stateOf } from "#documents/state.ts";
import type { Store } from "#documents/store.ts";
import { wordHashOf } from "#documents/word-hash.ts";
import { countWords, type DocumentTexts, packedForward, packedStretches, wordsOfTexts } from "./word-counts.ts";
import { commonWordsOf, countedWords, writeMarks } from "./marks.ts";
import { learnWords, type NewWords } from "./vocabulary.ts";

/** What a document is found by. */
export interface IndexEntry {
  readonly texts: DocumentTexts;
  /** Ids of filter terms. */
  readonly terms: readonly number[];
}

/**
 * Adds a document's words to the index, which must not contain the document yet.
 *
 * @returns its length in words
 */
export function writeIndexEntry(store: Store, row: number, { texts, terms }: IndexEntry, allowed?: NewWords): number {
  const counted = countWords(texts);
  const { counts, length } = counted;
  const places = counted.texts.map(({ lines, compounds }) =>
    [...lines.map((line) => line.join(" ")), ...compounds].join(` ${BREAK} `),
  );
  const saturation = saturationOf(length, averageLengthOf(store) ?? length);
  const tokens = [...counts].map(([word, count]) => atLevel(word, levelOf(count, saturation)));
  store.exec("INSERT INTO places (rowid, title, keywords, metadata, body) VALUES (?1, ?2, ?3, ?4, ?5)", row, ...places);
  store.exec(
    "INSERT INTO levels (rowid, words) VALUES (?1, ?2)",
    row,
    [...tokens, ...new Set(terms.map(termToken))].join(" "),
  );
  const hash = wordHashOf(store);
  const forward = packedForward(counts, hash);
  store.exec(
    "INSERT INTO forward (id, words, stretches) VALUES (?1, ?2, ?3)",
    row,
    forward,
    packedStretches(counted, forward, hash),
  );
  // The version of the cell, which is written next.
  const version = stateOf(store, "cells") + 1;
  for (const words of commonWordsOf(store)) writeMarks(store, words, [countedWords(row, forward)], version);
  if (!learnWords(store, [...counts.keys()], allowed))
    store.exec("INSERT OR IGNORE INTO unlearnt (id) VALUES (?1)", row);
  return length;
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

/** Removes a document's words from the index. */
export function removeIndexEntry(store: Store, row: number): void {
  for (const statement of [
    "DELETE FROM places WHERE rowid = ?1",
    "DELETE FROM levels WHERE rowid = ?1",
    "DELETE FROM forward WHERE id = ?1",
  ]) {
    store.exec(statement, row);
  }
}
