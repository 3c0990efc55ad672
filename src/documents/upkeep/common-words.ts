import { BITMAP_BLOCK, COMMON_WORDS } from "#documents/index-rules.ts";
import { bytesOf, stateOf, type Store } from "#documents/store.ts";
import { allStopWords } from "#documents/stop-words.ts";
import { wordHashOf } from "#documents/word-hash.ts";
import {
  addToImpactBitmaps,
  commonWordsOf,
  type CountedWords,
  countedWords,
  type ImpactBitmapBlock,
  writeImpactBitmaps,
} from "#documents/write/impact-bitmaps.ts";

/** With fewer documents, searches are fast enough without bitmaps, and rank better (docs/decisions/0017-search-by-impacts.md). */
const DOCUMENTS_MIN = 50_000;

/** A new set is chosen when the number of documents has grown by this factor. */
const GROWTH = 2;

/** How many documents, spread evenly over all, are sampled for the common words, and the most bytes read of them. */
const SAMPLE = 500;
const SAMPLE_BYTES = 250_000;

/** A word in a smaller share of the sample is not common. */
const SHARE_MIN = 0.01;

/** How many documents one step maps, and how many blocks of an old set it removes. */
const DOCUMENTS_A_STEP = 1000;
const BYTES_A_STEP = 500_000;
const BLOCKS_A_STEP = 1000;

interface CommonSet {
  readonly id: number;
  readonly documents: number;
  readonly mapped: number | null;
}

/**
 * Maintains the impact bitmaps of common words. Chooses the words once there are many documents, and again once there are twice as many, and
 * then adds the existing documents, a stretch per step. New documents are added when they are written.
 *
 * @returns whether nothing is left to do
 */
export function mapCommonWords(store: Store, documentsMin = DOCUMENTS_MIN): boolean {
  const sets = store.exec<CommonSet>("SELECT id, documents, mapped FROM common_words ORDER BY id DESC");
  const [newest] = sets;
  if (newest && newest.mapped !== null) {
    mapStretch(store, newest.id, newest.mapped);
    return false;
  }
  const old = sets[1];
  if (old) {
    removeBlocks(store, old.id);
    return false;
  }
  const documents = stateOf(store, "documents");
  if (documents < Math.max(documentsMin, (newest?.documents ?? 0) * GROWTH)) return true;
  const hashes = commonestOf(store);
  store.exec(
    "INSERT INTO common_words (hashes, documents, mapped) VALUES (?1, ?2, 0)",
    bytesOf(hashes.buffer),
    documents,
  );
  return false;
}

/** Returns the hashes of the words that most documents of a sample contain, without those that only join others. */
function commonestOf(store: Store): Uint32Array<ArrayBuffer> {
  const [last] = store.exec<{ id: number | null }>("SELECT max(id) AS id FROM term_vectors");
  const stride = Math.max(1, Math.floor((last?.id ?? 0) / SAMPLE));
  const rows = JSON.stringify(Array.from({ length: SAMPLE }, (_, at) => at * stride + 1));
  const holding = new Map<number, number>();
  let documents = 0;
  for (const { hashes } of readWords(store, sizesOf(store, "SELECT value FROM json_each(?1)", rows), SAMPLE_BYTES)) {
    documents++;
    for (const hash of hashes) holding.set(hash, (holding.get(hash) ?? 0) + 1);
  }
  const hashOf = wordHashOf(store);
  for (const word of allStopWords()) holding.delete(hashOf(word));
  return Uint32Array.from(
    [...holding]
      .filter(([, held]) => held >= documents * SHARE_MIN)
      .sort(([, one], [, other]) => other - one)
      .slice(0, COMMON_WORDS)
      .map(([hash]) => hash),
  );
}

function mapStretch(store: Store, id: number, from: number): void {
  const words = commonWordsOf(store).find((set) => set.id === id);
  if (!words) return;
  const sizes = sizesOf(
    store,
    "SELECT id FROM term_vectors WHERE id > ?1 ORDER BY id LIMIT ?2",
    from,
    DOCUMENTS_A_STEP,
  );
  const documents = readWords(store, sizes, BYTES_A_STEP);
  const blocks = new Map<string, ImpactBitmapBlock>();
  for (const held of Map.groupBy(documents, ({ row }) => Math.floor(row / BITMAP_BLOCK.block)).values()) {
    addToImpactBitmaps(store, words, held, blocks);
  }
  writeImpactBitmaps(store, blocks.values(), stateOf(store, "doc values"));
  store.exec("UPDATE common_words SET mapped = ?2 WHERE id = ?1", id, documents.at(-1)?.row ?? null);
}

function removeBlocks(store: Store, id: number): void {
  const statement = `SELECT block FROM impact_bitmaps WHERE words = ?1 ORDER BY block DESC LIMIT 1 OFFSET ${BLOCKS_A_STEP}`;
  const [from] = store.exec<{ block: number }>(statement, id);
  store.exec("DELETE FROM impact_bitmaps WHERE words = ?1 AND block > ?2", id, from?.block ?? -1);
  if (!from) store.exec("DELETE FROM common_words WHERE id = ?1", id);
}

interface Size {
  readonly id: number;
  readonly bytes: number;
}

function sizesOf(store: Store, rows: string, ...values: readonly (string | number)[]): readonly Size[] {
  const statement = `SELECT id, octet_length(words) AS bytes FROM term_vectors WHERE id IN (${rows}) ORDER BY id`;
  return store.exec<Size & Record<string, unknown>>(statement, ...values);
}

/** Returns the words of the first documents, up to `bytesMax`, but at least of one document. */
function readWords(store: Store, sizes: readonly Size[], bytesMax: number): readonly CountedWords[] {
  let bytes = 0;
  const first = sizes.filter((one, at) => (bytes += one.bytes) <= bytesMax || at === 0);
  return store
    .exec<{ id: number; words: ArrayBuffer | Uint8Array }>(
      "SELECT id, words FROM term_vectors WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id",
      JSON.stringify(first.map(({ id }) => id)),
    )
    .map(({ id, words }) => countedWords(id, bytesOf(words)));
}
