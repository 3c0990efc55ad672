import { numberList, type Rows } from "#documents-postgres/database.ts";
import { instanceOf } from "#documents-postgres/instance.ts";
import { wordToken } from "#documents-postgres/tokens.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";
import { areFewSince, COMMON, commonFrom, EPOCHS_BEHIND_MAX, epochsBetween, type Posting } from "./postings.ts";

/** The number of low bits of an id that tell its place in its block. */
export const BLOCK_BITS = 16;
const BLOCK_SIZE = 2 ** BLOCK_BITS;

/** A block with more documents than this has a bit for each id, others a list of ids. */
export const LISTED_MAX = 4096;

/** The block number of rows with documents that were added since the blocks were written. */
const ADDED_BLOCK = -1;

/**
 * How much of a step's work adding new documents of a word counts as at least, in documents, if few or many were written since.
 */
const DOCUMENTS_A_WORD = { few: 10, many: 500 };
const WORDS_A_STEP = 1000;

/** After more than this many additions to a word, or this many added documents, its holders are written anew. */
const ADDITIONS_MAX = 16;
const ADDED_MAX = 16_384;

interface Word {
  readonly hash: number;
  readonly documents: number;
  readonly gathered: number;
  /** While a long word is being written: the epoch up to which the blocks from `first` on have its documents. */
  readonly gathering: number;
  readonly first: number | null;
  readonly additions: number;
  readonly added: number;
}

/**
 * Writes the next holders of common words: all documents that contain a word, as a bit or two bytes each, so that a search finds
 * those with all words without the index. Like postings, they are hints.
 *
 * @returns whether there may be more to do
 */
export async function gatherNext(writing: Writing, posting: Posting): Promise<boolean> {
  const { rows } = writing;
  // The epoch may have begun in this transaction.
  const { epoch } = await instanceOf(rows);
  const found = await rows.all<Word>(
    `SELECT w.hash, w.documents, w.gathered, w.gathering, h.*
     FROM words w CROSS JOIN LATERAL (
       SELECT min(h.block) FILTER (WHERE h.block >= 0) AS first, count(*) FILTER (WHERE h.block < 0) AS additions,
         coalesce(sum(h.size) FILTER (WHERE h.block < 0), 0) AS added
       FROM holders h WHERE h.instance_id = $1 AND h.hash = w.hash) h
     WHERE ${COMMON} AND w.gathered < $4 LIMIT ${WORDS_A_STEP}`,
    ...commonFrom(posting.documents),
    epoch - 1,
  );
  const known = found.filter((word) => !isNew(word, epoch));
  const since = Math.min(...known.map((word) => word.gathered));
  const areFew = known.length === 0 || (await areFewSince(rows, epochsBetween(rows, since, epoch), posting.few));
  // If many documents were written, each of them may have the word.
  const isAdded = (word: Word) => !isNew(word, epoch) && (areFew || word.documents <= posting.holders);
  const chosen: Word[] = [];
  let left = posting.holders;
  for (const word of found) {
    const { few, many } = DOCUMENTS_A_WORD;
    const work = !isAdded(word) ? word.documents : areFew ? few : Math.max(many, word.documents);
    if (chosen.length > 0 && work > left) break;
    chosen.push(word);
    left -= work;
  }
  if (chosen.length === 0) return false;
  const fresh = chosen.filter((word) => !isAdded(word));
  const [long] = fresh.filter(({ documents }) => documents > posting.holders);
  if (long) await writePart(writing, long, epoch, posting.holders);
  const whole = fresh.filter(({ documents }) => documents <= posting.holders);
  await remove(rows, whole);
  await write(rows, whole, find(), BLOCKS);
  const others = chosen.filter((word) => !fresh.includes(word));
  for (const [last, of] of Map.groupBy(others, (word) => word.gathered)) {
    await write(
      rows,
      of,
      areFew ? FIND_SINCE : FIND_EACH_SINCE,
      ADDITION,
      numberList(epochsBetween(rows, last, epoch)),
    );
  }
  await rows.all(
    "UPDATE words SET gathered = $3, gathering = 0 WHERE instance_id = $1 AND hash = ANY ($2::int[])",
    numberList([...whole, ...others].map(({ hash }) => hash)),
    epoch - 1,
  );
  return true;
}

/** Checks whether a word's holders have to be written anew, instead of being added to. */
function isNew({ gathered, additions, added }: Word, epoch: number): boolean {
  return gathered === 0 || epoch - gathered > EPOCHS_BEHIND_MAX || additions > ADDITIONS_MAX || added > ADDED_MAX;
}

async function remove(rows: Rows, words: readonly Word[]): Promise<void> {
  if (words.length === 0) return;
  const hashes = numberList(words.map(({ hash }) => hash));
  await rows.all("DELETE FROM holders WHERE instance_id = $1 AND hash = ANY ($2::int[])", hashes);
}

/** Writes the next blocks of a long word, newest first. Searches read them once all are written. */
async function writePart({ rows, lastDocument }: Writing, word: Word, epoch: number, max: number): Promise<void> {
  const isBegun = word.gathered === 0 && word.gathering > 0 && epoch - word.gathering <= EPOCHS_BEHIND_MAX;
  if (!isBegun) await remove(rows, [word]);
  const gathering = isBegun ? word.gathering : epoch - 1;
  const blocks = (lastDocument >> BLOCK_BITS) + 1;
  const until = isBegun ? (word.first ?? blocks) : blocks;
  let size = Math.min(until, Math.max(1, Math.floor((max * blocks) / word.documents)));
  // If most of the word's documents are in these blocks, the step writes fewer blocks.
  while (!(await writeBlocks(rows, word, until - size, until, Math.max(max * 2, BLOCK_SIZE))))
    size = Math.ceil(size / 2);
  const from = until - size;
  await rows.all(
    `WITH first AS (INSERT INTO holders (instance_id, hash, block, part, size, ids) VALUES ($1, $2, $3, 0, 0, ''::bytea)
       ON CONFLICT DO NOTHING)
     UPDATE words SET gathered = $4, gathering = $5 WHERE instance_id = $1 AND hash = $2`,
    word.hash,
    from,
    from === 0 ? gathering : 0,
    from === 0 ? 0 : gathering,
  );
}

/** Writes some blocks of a word, unless more than `max` documents have it there. @returns whether it wrote them */
async function writeBlocks(rows: Rows, word: Word, from: number, until: number, max: number): Promise<boolean> {
  const inside = `AND e.id >= $4::int AND e.id < $5::bigint LIMIT $6::int + 1`;
  const [read] = await rows.all<{ count: number }>(
    `WITH r AS MATERIALIZED (${find(inside)}), f AS (SELECT r.* FROM r WHERE (SELECT count(*) FROM r) <= $6::int),
       written AS (INSERT INTO holders (instance_id, hash, block, part, size, ids) SELECT $1, b.* FROM (${BLOCKS}) b)
     SELECT count(*) AS count FROM r`,
    numberList([word.hash]),
    numberList([wordToken(rows.instanceId, word.hash >>> 0)]),
    from * BLOCK_SIZE,
    until * BLOCK_SIZE,
    max,
  );
  return (read?.count ?? 0) <= max;
}

/** Selects the ids of the documents that contain the words `l`. */
const find = (
  condition = "",
) => `SELECT l.hash, e.id FROM unnest($2::int[], $3::int[]) AS l (hash, token) CROSS JOIN LATERAL (
  SELECT e.id FROM entries e WHERE e.instance_id = $1 AND e.tokens @> ARRAY[l.token] ${condition} OFFSET 0) e`;

/**
 * The same for documents that were written in some epochs: found by the index for each word, or by reading the tokens of these
 * documents.
 */
const FIND_EACH_SINCE = find("AND e.tokens && $4::int[]");
const FIND_SINCE = `SELECT l.hash, e.id
  FROM (SELECT e.id, unnest(e.tokens) AS token FROM entries e WHERE e.instance_id = $1 AND e.tokens && $4::int[] OFFSET 0) e
  JOIN unnest($2::int[], $3::int[]) AS l (hash, token) ON l.token = e.token`;

const PLACES = BLOCK_SIZE / 32;

/** Makes a row for each block of the found documents `f`. */
const BLOCKS = `SELECT b.hash, b.block, 0 AS part, b.size, CASE WHEN b.size <= ${LISTED_MAX} THEN b.ids ELSE (
    SELECT string_agg(int4send(coalesce(p.bits, 0)), ''::bytea ORDER BY n.place) FROM generate_series(0, ${PLACES - 1}) AS n (place)
    LEFT JOIN unnest(b.places, b.bits) AS p (place, bits) ON p.place = n.place) END AS ids
  FROM (
    SELECT p.hash, p.block, sum(p.size) AS size, string_agg(p.ids, ''::bytea) AS ids, array_agg(p.place) AS places, array_agg(p.bits) AS bits
    FROM (
      SELECT f.hash, f.id >> ${BLOCK_BITS} AS block, (f.id >> 5) & ${PLACES - 1} AS place, count(*) AS size, bit_or(1 << (f.id & 31)) AS bits,
        string_agg(substr(int4send(f.id), 3), ''::bytea) AS ids
      FROM f GROUP BY f.hash, block, place) p
    GROUP BY p.hash, p.block) b`;

/** Makes one row of all found documents `f`. */
const ADDITION = `SELECT f.hash, ${ADDED_BLOCK}, (SELECT coalesce(max(h.part) + 1, 0) FROM holders h
    WHERE h.instance_id = $1 AND h.hash = f.hash AND h.block = ${ADDED_BLOCK}), count(*), string_agg(int4send(f.id), ''::bytea)
  FROM f GROUP BY f.hash`;

async function write(
  rows: Rows,
  words: readonly Word[],
  finding: string,
  made: string,
  ...values: readonly (string | number)[]
): Promise<void> {
  if (words.length === 0) return;
  await rows.all(
    `WITH f AS (${finding}) INSERT INTO holders (instance_id, hash, block, part, size, ids) SELECT $1, r.* FROM (${made}) r`,
    numberList(words.map(({ hash }) => hash)),
    numberList(words.map(({ hash }) => wordToken(rows.instanceId, hash >>> 0))),
    ...values,
  );
}
