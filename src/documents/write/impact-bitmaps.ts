import { COUNT_OF_BYTE, BITMAP_BLOCK, coarseImpactOf, bitmapsOf, placeOf } from "#documents/index-rules.ts";
import { bytesOf, type Store } from "#documents/store.ts";

/** Common words, for which bitmaps say roughly how often each document contains them. */
export interface CommonWords {
  readonly id: number;
  /** In the order of their bitmaps. */
  readonly hashes: Uint32Array;
}

/** A document's words from its term vector: hashes in order, and their packed counts. */
export interface CountedWords {
  readonly row: number;
  readonly hashes: Uint32Array;
  readonly packed: Uint8Array;
}

/** Reads a term vector. @param entry begins at the start of its buffer */
export function countedWords(row: number, entry: Uint8Array<ArrayBuffer>): CountedWords {
  const words = entry.length / 5;
  return { row, hashes: new Uint32Array(entry.buffer, 0, words), packed: entry.subarray(words * 4) };
}

/** Returns all sets: the one that searches use, one whose bitmaps are incomplete, and old ones not removed yet. */
export function commonWordsOf(store: Store): readonly CommonWords[] {
  return store
    .exec<{ id: number; hashes: ArrayBuffer | Uint8Array }>("SELECT id, hashes FROM common_words")
    .map(({ id, hashes }) => ({ id, hashes: new Uint32Array(bytesOf(hashes).buffer) }));
}

/** A block of the impact bitmaps of a set of words. */
export interface ImpactBitmapBlock {
  readonly words: number;
  readonly block: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Adds documents of one block to the bitmaps, without writing it.
 *
 * @param blocks those that were changed before and aren't written yet
 */
export function addToImpactBitmaps(
  store: Store,
  { id, hashes }: CommonWords,
  documents: readonly CountedWords[],
  blocks: Map<string, ImpactBitmapBlock>,
): void {
  const block = Math.floor((documents[0]?.row ?? 0) / BITMAP_BLOCK.block);
  const key = `${id} ${block}`;
  const changed = blocks.get(key) ?? { words: id, block, bytes: storedBitmaps(store, id, block) };
  blocks.set(key, changed);
  const bitmaps = new Uint32Array(changed.bytes.buffer, 0, BITMAP_BLOCK.size);
  for (const { row, hashes: words, packed } of documents) {
    const part = (row % BITMAP_BLOCK.block) >> 5;
    const bit = row & 31;
    for (const [slot, hash] of hashes.entries()) {
      const place = placeOf(words, hash);
      const coarse = place < 0 ? 0 : coarseImpactOf(COUNT_OF_BYTE[packed[place] ?? 0] ?? 0);
      const low = bitmapsOf(slot) + part;
      const high = low + BITMAP_BLOCK.plane;
      bitmaps[low] = ((bitmaps[low] ?? 0) & ~(1 << bit)) | ((coarse & 1) << bit);
      bitmaps[high] = ((bitmaps[high] ?? 0) & ~(1 << bit)) | ((coarse >> 1) << bit);
    }
  }
}

function storedBitmaps(store: Store, words: number, block: number): Uint8Array<ArrayBuffer> {
  const [held] = store.exec<{ bitmaps: ArrayBuffer | Uint8Array }>(
    "SELECT bitmaps FROM impact_bitmaps WHERE words = ?1 AND block = ?2",
    words,
    block,
  );
  return held ? bytesOf(held.bitmaps) : new Uint8Array(BITMAP_BLOCK.blockBytes);
}

/** Writes blocks of impact bitmaps. */
export function writeImpactBitmaps(store: Store, blocks: Iterable<ImpactBitmapBlock>, version: number): void {
  for (const { words, block, bytes } of blocks) {
    store.exec(
      `INSERT INTO impact_bitmaps (words, block, version, bitmaps) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (words, block) DO UPDATE SET version = excluded.version, bitmaps = excluded.bitmaps`,
      words,
      block,
      version,
      bytes,
    );
  }
}
