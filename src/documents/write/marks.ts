import { COUNT_OF_BYTE, MARKS, markOf, marksOf, placeOf } from "#documents/index-rules.ts";
import { bytesOf, type Store } from "#documents/store.ts";

/** Common words, for which each document has marks that say how often it contains them. */
export interface CommonWords {
  readonly id: number;
  /** In the order of their marks. */
  readonly hashes: Uint32Array;
}

/** A document's words from its forward entry: hashes in order, and their packed counts. */
export interface CountedWords {
  readonly row: number;
  readonly hashes: Uint32Array;
  readonly packed: Uint8Array;
}

/** Reads a forward entry. @param entry begins at the start of its buffer */
export function countedWords(row: number, entry: Uint8Array<ArrayBuffer>): CountedWords {
  const words = entry.length / 5;
  return { row, hashes: new Uint32Array(entry.buffer, 0, words), packed: entry.subarray(words * 4) };
}

/** Returns all sets: the one that searches use, one whose marks are incomplete, and old ones not removed yet. */
export function commonWordsOf(store: Store): readonly CommonWords[] {
  return store
    .exec<{ id: number; hashes: ArrayBuffer | Uint8Array }>("SELECT id, hashes FROM common_words")
    .map(({ id, hashes }) => ({ id, hashes: new Uint32Array(bytesOf(hashes).buffer) }));
}

/** A block of the marks of a set of words. */
export interface MarksBlock {
  readonly words: number;
  readonly block: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Adds the marks of documents in one block, without writing it.
 *
 * @param blocks those that were changed before and aren't written yet
 */
export function addMarks(
  store: Store,
  { id, hashes }: CommonWords,
  documents: readonly CountedWords[],
  blocks: Map<string, MarksBlock>,
): void {
  const block = Math.floor((documents[0]?.row ?? 0) / MARKS.block);
  const key = `${id} ${block}`;
  const changed = blocks.get(key) ?? { words: id, block, bytes: storedMarks(store, id, block) };
  blocks.set(key, changed);
  const marks = new Uint32Array(changed.bytes.buffer, 0, MARKS.size);
  for (const { row, hashes: words, packed } of documents) {
    const part = (row % MARKS.block) >> 5;
    const bit = row & 31;
    for (const [slot, hash] of hashes.entries()) {
      const place = placeOf(words, hash);
      const mark = place < 0 ? 0 : markOf(COUNT_OF_BYTE[packed[place] ?? 0] ?? 0);
      const low = marksOf(slot) + part;
      const high = low + MARKS.plane;
      marks[low] = ((marks[low] ?? 0) & ~(1 << bit)) | ((mark & 1) << bit);
      marks[high] = ((marks[high] ?? 0) & ~(1 << bit)) | ((mark >> 1) << bit);
    }
  }
}

function storedMarks(store: Store, words: number, block: number): Uint8Array<ArrayBuffer> {
  const [held] = store.exec<{ marks: ArrayBuffer | Uint8Array }>(
    "SELECT marks FROM marks WHERE words = ?1 AND block = ?2",
    words,
    block,
  );
  return held ? bytesOf(held.marks) : new Uint8Array(MARKS.blockBytes);
}

/** Writes blocks of marks. */
export function writeMarksBlocks(store: Store, blocks: Iterable<MarksBlock>, version: number): void {
  for (const { words, block, bytes } of blocks) {
    store.exec(
      `INSERT INTO marks (words, block, version, marks) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (words, block) DO UPDATE SET version = excluded.version, marks = excluded.marks`,
      words,
      block,
      version,
      bytes,
    );
  }
}
