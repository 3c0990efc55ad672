import { COMPLETED } from "#documents/find/tally.ts";
import { decodeBase64, numberList, numbersIn, type Rows } from "#documents-postgres/database.ts";
import { BLOCK_BITS, LISTED_MAX } from "#documents-postgres/upkeep/holders.ts";
import { DocumentSet } from "./document-set.ts";
import type { Candidate } from "./found.ts";
import type { Lists, Single } from "./lists.ts";
import type { Question } from "./question.ts";
import type { Scope } from "./scope.ts";
import { writtenSince } from "./since.ts";
import { togetherCondition } from "./together.ts";

/** With more words than this, reading holders costs more than it saves. */
const WORDS_MAX = 5;

/** The most bytes of holders that are read: the blocks of the newest documents. */
const BYTES_MAX = 1_000_000;

/** The documents that have all words. */
export interface Together {
  /** The documents according to holders. Only a document's row tells whether it is in scope. */
  readonly likely: DocumentSet;
  /** The documents in scope that were written since the holders. */
  readonly since: readonly Candidate[];
  /** Whether no other document has all words. */
  readonly isComplete: boolean;
}

/**
 * Returns the documents that have all words, according to their holders and, if they were written since, to the index.
 *
 * @returns `null` if some word has no holders or no postings, or if holders can't answer this search
 */
export async function holdersOfAll(
  rows: Rows,
  scope: Scope,
  lists: Lists,
  question: Question,
): Promise<Together | null> {
  const slots = Array.from({ length: lists.slots }, (_, slot) => lists.single(slot, COMPLETED));
  const words = slots.flat();
  if (scope.isFiltered || question.unwanted.length > 0 || words.length > WORDS_MAX) return null;
  const isTold = words.every(({ ungathered, unposted }) => ungathered !== null && unposted !== null);
  if (!isTold) return null;
  const blocks = (scope.upTo >> BLOCK_BITS) + 1;
  const bytesOfBlock = words.reduce((sum, { documents }) => sum + Math.min(BLOCK_BYTES, (documents / blocks) * 2), 0);
  const from = Math.max(0, blocks - Math.max(1, Math.floor(BYTES_MAX / bytesOfBlock)));
  // Postings tell the classes of documents, so what is missing from postings is looked up as well.
  const epochs = [
    ...new Set(words.flatMap(({ ungathered, unposted }) => [...(ungathered ?? []), ...(unposted ?? [])])),
  ];
  const [held, since] = await Promise.all([
    readHolders(rows, words, from),
    epochs.length === 0
      ? []
      : writtenSince(rows, scope, epochs, lists.unpostedMax, (parameters) =>
          togetherCondition(lists, question, parameters),
        ),
  ]);
  if (since === null) return null;
  for (const [at, slot] of slots.entries()) {
    const set = at === 0 ? common : next;
    set.reset(from, blocks - from);
    for (const row of held) addRow(set, row, words, slot, scope.upTo);
    if (at > 0) common.keep(next);
  }
  return { likely: common.copy(), since, isComplete: from === 0 };
}

/** Shared by all searches: no search awaits anything while it uses these. */
const common = new DocumentSet();
const next = new DocumentSet();

const BLOCK_BYTES = 2 ** BLOCK_BITS / 8;

interface Row {
  readonly words: string;
  readonly blocks: string;
  readonly sizes: string;
  readonly ids: string;
}

/** About this many bytes are returned in one row: larger rows take a full garbage collection to free. */
const ROW_BYTES = 32_768;

const HOLDERS = `SELECT array_agg(h.at) AS words, array_agg(h.block) AS blocks, array_agg(h.size) AS sizes,
    encode(string_agg(h.ids, ''::bytea), 'base64') AS ids
  FROM (
    SELECT l.at - 1 AS at, h.block, h.size, h.ids, sum(octet_length(h.ids)) OVER (ORDER BY l.at, h.block, h.part) AS upto
    FROM unnest($2::int[]) WITH ORDINALITY AS l (hash, at)
    JOIN holders h ON h.instance_id = $1 AND h.hash = l.hash AND (h.block < 0 OR h.block >= $3)) h
  GROUP BY h.upto / ${ROW_BYTES}`;

/** A part of a word's holders. */
interface Part {
  readonly word: number;
  readonly block: number;
  readonly size: number;
  readonly ids: Uint8Array;
}

async function readHolders(rows: Rows, words: readonly Single[], from: number): Promise<readonly Part[]> {
  const found = await rows.byKey<Row>(HOLDERS, numberList(words.map(({ hash }) => hash)), from);
  return found.flatMap((row) => {
    const bytes = decodeBase64(row.ids);
    const [blocks, sizes] = [numbersIn(row.blocks), numbersIn(row.sizes)];
    let at = 0;
    return numbersIn(row.words).map((word, nth): Part => {
      const [block, size] = [blocks[nth] ?? 0, sizes[nth] ?? 0];
      const length = block < 0 ? size * 4 : size > LISTED_MAX ? BLOCK_BYTES : size * 2;
      at += length;
      return { word, block, size, ids: bytes.subarray(at - length, at) };
    });
  });
}

function addRow(
  set: DocumentSet,
  { word, block, size, ids }: Part,
  words: readonly Single[],
  slot: readonly Single[],
  upTo: number,
): void {
  if (!slot.includes(words[word] as Single)) return;
  const view = new DataView(ids.buffer, ids.byteOffset, ids.length);
  if (block < 0) {
    for (let at = 0; at < ids.length; at += 4) {
      const id = view.getInt32(at);
      if (id <= upTo) set.add(id);
    }
  } else if (size > LISTED_MAX) {
    set.addBlock(block, view);
  } else {
    const first = block << BLOCK_BITS;
    for (let at = 0; at < ids.length; at += 2) set.add(first + view.getUint16(at));
  }
}
