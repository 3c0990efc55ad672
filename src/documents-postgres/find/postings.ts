import type { FindLimits } from "#documents/find/limits.ts";
import { LEVELS, shareOf } from "#documents/index-rules.ts";
import { decodeBase64, numberList, numbersIn, type Rows } from "#documents-postgres/database.ts";
import { PART_SIZE } from "#documents-postgres/upkeep/postings.ts";
import type { Lists, Single } from "./lists.ts";

/** A word at a level. */
export interface Arm {
  readonly slot: number;
  readonly gain: number;
  readonly word: Single;
  readonly level: number;
  readonly entries: number;
  /** How many of its entries are read. */
  readonly wanted: number;
}

/**
 * Reads a list to its end. It may have more entries than documents have the word: those that were written again are in it twice.
 */
const ALL = 2 ** 31 - 1;

/** How many times as much it costs to read an entry of the index as one of postings. */
const INDEX_COST = 8;

/**
 * How many entries are read, measured with two and with eight words. For people who see little of everything, more are read,
 * especially if the best documents are found late.
 */
const ENTRIES_SHARE = 1.5;
const WORDS_A_SHARE = 4;
const SPARSE_SHARE_MAX = 2;

/** For a person who sees a smaller share, more entries are read to find as many documents. */
export const SPARSE_SHARE = 0.02;

export function entriesMax(
  { entries, entriesByWord, sparseEntries }: FindLimits,
  slots: number,
  share: number,
): number {
  const usual = ((entries + entriesByWord * slots) * ENTRIES_SHARE) / Math.sqrt(share);
  const sparse = share < SPARSE_SHARE ? Math.min(SPARSE_SHARE_MAX, Math.max(1, slots / WORDS_A_SHARE)) : 1;
  return Math.ceil(Math.min(usual, sparseEntries * sparse));
}

/** Returns the words at levels to read, those that gain most first, up to a cost of `max` entries. */
export function chosenArms(
  lists: Lists,
  way: number,
  rarities: readonly number[],
  enough: number,
  max: number,
): readonly Arm[] {
  const all = rarities.flatMap((rarity, slot) =>
    lists.single(slot, way).flatMap((word) =>
      Array.from({ length: LEVELS }, (_, level): Arm => {
        return { slot, level, word, gain: rarity * shareOf(level), entries: word.levels[level] ?? 0, wanted: ALL };
      }).filter(({ entries }) => entries > 0),
    ),
  );
  const chosen: Arm[] = [];
  let cost = 0;
  let read = 0;
  for (const arm of all.sort((one, other) => other.gain - one.gain)) {
    const left = max - cost;
    const entries = arm.word.unposted === null ? arm.entries : Math.min(arm.entries, left);
    const ownCost = entries * (arm.word.unposted === null ? INDEX_COST : 1);
    // One list is always read.
    if (chosen.length > 0 && (left <= 0 || ownCost > left)) break;
    chosen.push({ ...arm, entries, wanted: entries < arm.entries ? entries : ALL });
    cost += ownCost;
    read += entries;
    if (lists.slots === 1 && read >= enough) break;
  }
  return chosen;
}

interface Row {
  readonly arms: string;
  readonly sizes: string;
  readonly entries: string;
}

/** A part of an arm's entries: an id and a class for each document, newest first. */
export interface Part {
  readonly arm: number;
  readonly entries: Int32Array;
}

const ENTRY_BYTES = 8;

/**
 * Selects the newest parts of each list, as far as it is read. A row is about as large as one part: larger rows take a full
 * garbage collection to free.
 */
const PARTS = `SELECT array_agg(s.arm ORDER BY s.nth) AS arms, array_agg(s.size ORDER BY s.nth) AS sizes,
    encode(string_agg(s.entries, ''::bytea ORDER BY s.nth), 'base64') AS entries
  FROM (
    SELECT l.at - 1 AS arm, p.size, p.entries, row_number() OVER w AS nth, sum(p.size) OVER w AS upto, l.wanted,
      sum(p.size) OVER (PARTITION BY l.at ORDER BY p.part DESC) - p.size AS before
    FROM unnest($2::int[], $3::int[], $4::int[]) WITH ORDINALITY AS l (hash, level, wanted, at)
    JOIN postings p ON p.instance_id = $1 AND p.hash = l.hash AND p.level = l.level
    WINDOW w AS (ORDER BY l.at, p.part DESC)) s
  WHERE s.before < s.wanted GROUP BY s.upto / ${PART_SIZE}`;

/** What a transaction read last: likely documents are often gathered from the same lists as documents with all words. */
const lastRead = new WeakMap<Rows, { readonly key: string; readonly parts: Promise<readonly Part[]> }>();

export function readParts(rows: Rows, arms: readonly Arm[]): Promise<readonly Part[]> {
  const key = arms.map(({ word, level, wanted }) => `${word.hash} ${level} ${wanted}`).join();
  const last = lastRead.get(rows);
  if (last?.key === key) return last.parts;
  const parts = partsOf(rows, arms);
  lastRead.set(rows, { key, parts });
  return parts;
}

async function partsOf(rows: Rows, arms: readonly Arm[]): Promise<readonly Part[]> {
  const found = await rows.byKey<Row>(
    PARTS,
    numberList(arms.map(({ word }) => word.hash)),
    numberList(arms.map(({ level }) => level)),
    numberList(arms.map(({ wanted }) => wanted)),
  );
  const left = arms.map(({ wanted }) => wanted);
  const parts = found.flatMap(partsIn).sort((one, other) => one.arm - other.arm);
  return parts.map(({ arm, entries }) => {
    const size = Math.min(entries.length / 2, left[arm] ?? 0);
    left[arm] = (left[arm] ?? 0) - size;
    return { arm, entries: entries.subarray(0, size * 2) };
  });
}

function partsIn({ arms, sizes, entries }: Row): readonly Part[] {
  const bytes = decodeBase64(entries);
  bytes.swap32();
  const numbers = numbersOf(bytes);
  let from = 0;
  const all = numbersIn(sizes);
  return numbersIn(arms).map((arm, at) => {
    const until = from + ((all[at] ?? 0) * ENTRY_BYTES) / 4;
    const part = { arm, entries: numbers.subarray(from, until) };
    from = until;
    return part;
  });
}

export function numbersOf(bytes: Uint8Array<ArrayBuffer>): Int32Array {
  if (bytes.byteOffset % 4 === 0) return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  // Copied to where four-byte numbers may begin.
  return new Int32Array(bytes.slice().buffer);
}
