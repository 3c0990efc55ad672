import { atLevel, BREAK, levelOf, saturationOf, termToken } from "#documents/index-rules.ts";
import { averageLengthOf, moveState, stateOf } from "#documents/state.ts";
import type { Store } from "#documents/store.ts";
import { wordHashOf } from "#documents/word-hash.ts";
import { countWords, type DocumentTexts, packedForward, packedStretches, type WordCounts } from "./word-counts.ts";
import { INDEXING_WORK } from "#documents/work.ts";
import { commonWordsOf, countedWords, writeMarks } from "./marks.ts";
import { learnWords, WORDS_AT_ONCE } from "./vocabulary.ts";
import { WriteStep } from "./write-step.ts";

/** What a document is found by. */
export interface IndexEntry {
  readonly texts: DocumentTexts;
  /** Ids of filter terms. */
  readonly terms: readonly number[];
}

/**
 * Adds a document's words to the index, which must not contain the document yet.
 *
 * @returns its length in words, and what reading it took
 */
export function writeIndexEntry(
  store: Store,
  row: number,
  { texts, terms }: IndexEntry,
  step = new WriteStep(),
): Pick<WordCounts, "length" | "work"> {
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
  // A step that reads a long document leaves its words to the alarm.
  step.learning = Math.min(step.learning, INDEXING_WORK - counted.work);
  const left = learnWords(store, [...counts.keys()], step);
  for (let from = 0; from < left.length; from += WORDS_AT_ONCE) {
    const words = left.slice(from, from + WORDS_AT_ONCE);
    store.exec("INSERT INTO unlearnt (words) VALUES (?1)", JSON.stringify(words));
  }
  return counted;
}

/**
 * Learns more of the words that documents brought.
 *
 * @returns whether there was something to learn
 */
export function learnNext(store: Store): boolean {
  const step = new WriteStep();
  let learnt = false;
  while (step.learning > 0) {
    const [next] = store.exec<{ id: number; words: string }>("SELECT id, words FROM unlearnt ORDER BY id LIMIT 1");
    if (!next) break;
    const left = learnWords(store, JSON.parse(next.words) as string[], step);
    if (left.length === 0) store.exec("DELETE FROM unlearnt WHERE id = ?1", next.id);
    else store.exec("UPDATE unlearnt SET words = ?2 WHERE id = ?1", next.id, JSON.stringify(left));
    learnt = true;
  }
  return learnt;
}

export function isSomethingUnlearnt(store: Store): boolean {
  return store.exec("SELECT 1 FROM unlearnt LIMIT 1").length > 0;
}

/** Removes a document's words from the index. The clean-up counts these, to know when words may be unused. */
export function removeIndexEntry(store: Store, row: number): void {
  moveState(store, "unindexed", 1);
  for (const statement of [
    "DELETE FROM places WHERE rowid = ?1",
    "DELETE FROM levels WHERE rowid = ?1",
    "DELETE FROM forward WHERE id = ?1",
  ]) {
    store.exec(statement, row);
  }
}
