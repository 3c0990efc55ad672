import {
  BREAK,
  FIELD_WEIGHTS,
  impactBucketOf,
  saturationOf,
  TITLE_LENGTH,
  termToken,
  withBucket,
} from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import { wordHashOf } from "#documents/word-hash.ts";
import { sketchOf } from "#documents/sketches.ts";
import { languageOf } from "#documents/stop-words.ts";
import { occurrencesOf } from "#documents/words.ts";
import { countWords, type DocumentTexts, packedTermVector, packedStretches, type WordCounts } from "./word-counts.ts";
import { INDEXING_WORK } from "#documents/work.ts";
import { addToImpactBitmaps, countedWords } from "./impact-bitmaps.ts";
import type { WriteStep } from "./write-step.ts";

/** How many different stop words of a language a text has, at least, that is written in it. */
const STOP_WORDS_OF_A_LANGUAGE = 5;

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
  step: WriteStep,
): Pick<WordCounts, "length" | "work"> {
  const counted = countWords(texts);
  const { counts, length } = counted;
  const places = counted.texts.map(({ lines, compounds }) =>
    [...lines.map((line) => line.join(" ")), ...compounds].join(` ${BREAK} `),
  );
  const [title] = counted.texts;
  const titleWords = title?.lines.flat() ?? [];
  const inTitle = occurrencesOf([...titleWords, ...(title?.compounds ?? [])]);
  const ofTitle = saturationOf(titleWords.length, TITLE_LENGTH);
  const saturation = saturationOf(length, averageLengthIn(step) ?? length);
  const tokens = [...counts].map(([word, count]) => {
    const titled = inTitle.get(word) ?? 0;
    return withBucket(word, impactBucketOf(titled, ofTitle, count - titled * FIELD_WEIGHTS.title, saturation));
  });
  store.exec(
    "INSERT INTO postings (rowid, title, keywords, metadata, body) VALUES (?1, ?2, ?3, ?4, ?5)",
    row,
    ...places,
  );
  store.exec(
    "INSERT INTO impacts (rowid, words) VALUES (?1, ?2)",
    row,
    [...tokens, ...new Set(terms.map(termToken))].join(" "),
  );
  const hash = wordHashOf(store);
  const termVector = packedTermVector(counts, hash);
  const bodyWords = new Set(counted.texts.find(({ field }) => field === "body")?.lines.flat());
  store.exec(
    "INSERT INTO term_vectors (id, words, stretches, sketch, language) VALUES (?1, ?2, ?3, ?4, ?5)",
    row,
    termVector,
    packedStretches(counted, termVector, hash),
    sketchOf(bodyWords),
    languageOf(bodyWords, STOP_WORDS_OF_A_LANGUAGE),
  );
  for (const words of step.commonWords) addToImpactBitmaps(store, words, [countedWords(row, termVector)], step.bitmaps);
  // A step that reads a long document leaves its words to the alarm.
  step.learning = Math.min(step.learning, INDEXING_WORK - counted.work);
  step.work += counted.work;
  for (const word of counts.keys()) step.words.add(word);
  return counted;
}

/** Removes a document's words from the index. The clean-up counts these, to know when words may be unused. */
export function removeIndexEntry(store: Store, row: number, step: WriteStep): void {
  step.moveState("unindexed", 1);
  for (const statement of [
    "DELETE FROM postings WHERE rowid = ?1",
    "DELETE FROM impacts WHERE rowid = ?1",
    "DELETE FROM term_vectors WHERE id = ?1",
  ]) {
    store.exec(statement, row);
  }
}

/** Returns the average number of words in a document; `null`: there are no documents. */
function averageLengthIn(step: WriteStep): number | null {
  const documents = step.stateOf("documents");
  return documents === 0 ? null : step.stateOf("length") / documents;
}
