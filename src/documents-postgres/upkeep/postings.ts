import { LEVELS } from "#documents/index-rules.ts";
import { numberList, type Rows, textList } from "#documents-postgres/database.ts";
import { LEVEL_COUNTS } from "#documents-postgres/level-columns.ts";
import { epochToken, levelToken } from "#documents-postgres/tokens.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";

/** Which words get postings and holders, and how much work goes into these. */
export interface Posting {
  /** Words in at least this many documents get postings. */
  readonly documents: number;
  /**
   * If at most this many documents were written since a word's last epoch, the clean-up reads their tokens; otherwise it asks the
   * index for each word. A search reads postings only if no more were written.
   */
  readonly few: number;
  /** The most documents, of all words together, whose holders one step writes. */
  readonly holders: number;
}

export const POSTING: Posting = { documents: 256, few: 10_000, holders: 20_000 };

/** By how many epochs a word's postings may be behind: for each, searches look for one more token. */
export const EPOCHS_BEHIND_MAX = 8;

/** The minimum duration of an epoch, a little less than the clean-up waits after a write. */
const EPOCH_SECONDS = 3000;

/** No search reads more of a word at a level. Of longer lists, about this many of the newest documents are posted. */
const LIST_MAX = 16_384;

/** The most documents in a part. */
export const PART_SIZE = 4096;

/** How many entries one step reads, and how many of these adding new documents of a word counts as. */
const ENTRIES_A_STEP = 20_000;
const ENTRIES_A_WORD = { few: 10, many: 500 };
const WORDS_A_STEP = 2000;

/**
 * A word's lists are written anew if they grew in more steps than this, or have more than this many times as many entries as the
 * word has documents.
 */
const PARTS_MAX = 12;
const GROWTH_MAX = 1.5;

interface Word {
  readonly hash: number;
  readonly posted: number;
  readonly levels: readonly number[];
  readonly parts: number;
  readonly size: number;
}

/** The postings of a word at a level. */
interface List {
  readonly hash: number;
  readonly level: number;
  readonly token: number;
  /** Only documents with a higher id are posted. */
  readonly above: number;
  /** Tokens of the epochs whose documents are not posted yet. */
  readonly epochs: readonly number[];
}

/**
 * Writes the next postings of common words, from which a search reads thousands of entries in a few rows. They are only hints: a
 * document's own row decides whether somebody may see it, and the index finds what was written since the word's last epoch. So no
 * other write has to change them.
 *
 * @returns whether there is more to do
 */
export async function postNext(writing: Writing, now: number, posting: Posting): Promise<boolean> {
  const { rows } = writing;
  const { documents } = posting;
  const [state] = await rows.byKey<{ epoch: number; isDue: boolean; areEpochsTold: boolean }>(
    `SELECT epoch, told_version = version AS "areEpochsTold",
       told_version <> version OR (epoch_version <> version AND epoch_at <= $2::bigint) AS "isDue"
     FROM instances WHERE instance_id = $1`,
    now - EPOCH_SECONDS,
  );
  if (!state) return false;
  if (state.isDue && !(await hasWords(rows, documents))) return false;
  const epoch = state.isDue ? await beginEpoch(rows, now, documents, state.areEpochsTold) : state.epoch;
  const found = await rows.all<Word>(
    `SELECT w.hash, w.posted, ${LEVEL_COUNTS} AS levels,
       p.parts, p.size
     FROM words w CROSS JOIN LATERAL (SELECT count(*) AS parts, coalesce(sum(p.size), 0) AS size FROM postings p
       WHERE p.instance_id = $1 AND p.hash = w.hash) p
     WHERE ${COMMON} AND w.posted < $4 LIMIT ${WORDS_A_STEP}`,
    ...commonFrom(documents),
    epoch - 1,
  );
  const since = Math.min(...found.filter((word) => !isNew(word, epoch)).map((word) => word.posted));
  const areFew =
    since === Number.POSITIVE_INFINITY || (await areFewSince(rows, epochsBetween(rows, since, epoch), posting.few));
  const chosen: Word[] = [];
  let work = 0;
  for (const word of found) {
    if (work >= ENTRIES_A_STEP) break;
    chosen.push(word);
    work += isNew(word, epoch) ? posted(word) : ENTRIES_A_WORD[areFew ? "few" : "many"];
  }
  if (chosen.length === 0) return false;
  await post(writing, chosen, epoch, areFew);
  return chosen.length < found.length || found.length === WORDS_A_STEP;
}

/**
 * The condition for words `w` in at least `$3` documents. `$2` lists the values of `commonness` that these words can have.
 */
export const COMMON =
  "w.instance_id = $1 AND w.word IS NOT NULL AND w.commonness = ANY ($2::smallint[]) AND w.documents >= $3";

const COMMONNESS_MAX = 31;

export function commonFrom(documents: number): readonly [string, number] {
  const least = Math.floor(Math.log2(Math.max(documents, 1)));
  return [numberList(Array.from({ length: COMMONNESS_MAX - least + 1 }, (_, at) => least + at)), documents];
}

async function hasWords(rows: Rows, documents: number): Promise<boolean> {
  const found = await rows.all(
    `(SELECT 1 FROM words w WHERE ${COMMON} LIMIT 1) UNION ALL
     (SELECT 1 FROM words WHERE instance_id = $1 AND posted > 0 LIMIT 1)`,
    ...commonFrom(documents),
  );
  return found.length > 0;
}

/**
 * Begins an epoch, and removes the postings and holders of words that have become rare.
 *
 * @param isTold whether every document has its epoch's token; otherwise, so many epochs are skipped that no postings are current,
 *   and all are written anew
 */
async function beginEpoch(rows: Rows, now: number, documents: number, isTold: boolean): Promise<number> {
  const [begun] = await rows.all<{ epoch: number }>(
    `UPDATE instances SET epoch = epoch + $3, epoch_at = $2, epoch_version = version, told_version = version
     WHERE instance_id = $1 RETURNING epoch`,
    now,
    isTold ? 1 : EPOCHS_BEHIND_MAX + 1,
  );
  await rows.all(
    `WITH rare AS (UPDATE words SET posted = 0, gathered = 0, gathering = 0 WHERE instance_id = $1 AND hash IN (
         SELECT hash FROM words WHERE instance_id = $1 AND posted > 0 AND documents < $2 LIMIT ${WORDS_A_STEP}) RETURNING hash),
       holding AS (DELETE FROM holders h USING rare r WHERE h.instance_id = $1 AND h.hash = r.hash)
     DELETE FROM postings p USING rare r WHERE p.instance_id = $1 AND p.hash = r.hash`,
    Math.floor(documents / 2),
  );
  return begun?.epoch ?? 0;
}

/** Checks whether a word's postings have to be written anew, instead of being added to. */
function isNew({ posted: last, parts, size, ...word }: Word, epoch: number): boolean {
  return (
    last === 0 ||
    epoch - last > EPOCHS_BEHIND_MAX ||
    parts > LEVELS * PARTS_MAX ||
    size > posted({ posted: last, parts, size, ...word }) * GROWTH_MAX + PART_SIZE
  );
}

/** Returns about how many entries a word's postings have if they are written anew. */
function posted({ levels }: Word): number {
  return levels.reduce((sum, entries) => sum + Math.min(entries, LIST_MAX), 0);
}

/** Returns the tokens of the epochs after `last` that are over. */
export function epochsBetween({ instanceId }: Rows, last: number, epoch: number): readonly number[] {
  return Array.from({ length: epoch - last - 1 }, (_, at) => epochToken(instanceId, last + 1 + at));
}

export async function areFewSince(rows: Rows, epochs: readonly number[], few: number): Promise<boolean> {
  const [counted] = await rows.all<{ count: number }>(
    `SELECT count(*) AS count FROM (
       SELECT 1 FROM entries e WHERE e.instance_id = $1 AND e.tokens && $2::int[] LIMIT $3::int + 1) f`,
    numberList(epochs),
    few,
  );
  return (counted?.count ?? 0) <= few;
}

async function post(writing: Writing, words: readonly Word[], epoch: number, areFew: boolean): Promise<void> {
  const { rows } = writing;
  const fresh = words.filter((word) => isNew(word, epoch));
  const hashes = numberList(fresh.map(({ hash }) => hash));
  if (fresh.length > 0)
    await rows.all("DELETE FROM postings WHERE instance_id = $1 AND hash = ANY ($2::int[])", hashes);
  const lists = (of: readonly Word[]) =>
    of.flatMap(({ hash, levels, posted: last }) =>
      levels.flatMap((entries, level): List[] => {
        if (entries <= 0) return [];
        const above = Math.floor(writing.lastDocument * Math.max(0, 1 - LIST_MAX / entries));
        const epochs = epochsBetween(rows, last, epoch);
        return [{ hash, level, above, epochs, token: levelToken(rows.instanceId, hash >>> 0, level) }];
      }),
    );
  const whole = lists(fresh);
  // A range of all ids would be read for each list, so lists of all documents get no condition.
  await write(
    rows,
    whole.filter(({ above }) => above === 0),
    "0",
    "",
  );
  await write(
    rows,
    whole.filter(({ above }) => above > 0),
    "0",
    "AND e.id > l.above",
  );
  const others = words.filter((word) => !fresh.includes(word));
  if (areFew) for (const of of Map.groupBy(others, (word) => word.posted).values()) await writeSince(rows, lists(of));
  else await write(rows, lists(others), NEXT_PART, "AND e.tokens && l.epochs::int[]");
  await rows.all(
    "UPDATE words SET posted = $3 WHERE instance_id = $1 AND hash = ANY ($2::int[])",
    numberList(words.map(({ hash }) => hash)),
    epoch - 1,
  );
}

const NEXT_PART =
  "(SELECT coalesce(max(p.part) + 1, 0) FROM postings p WHERE p.instance_id = $1 AND p.hash = l.hash AND p.level = l.level)";

/**
 * @param first selects the number of the first part to write of a list `l`
 * @param condition selects which of the list's documents `e` to write
 */
async function write(rows: Rows, lists: readonly List[], first: string, condition: string): Promise<void> {
  if (lists.length === 0) return;
  await rows.all(
    `INSERT INTO postings (instance_id, hash, level, part, size, entries)
     SELECT $1, l.hash, l.level, l.first + e.part, count(*), string_agg(int4send(e.id) || int4send(e.class), ''::bytea ORDER BY e.id DESC)
     FROM (SELECT l.*, ${first} AS first FROM unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::text[]) AS l (hash, level, token, above, epochs)) l
     CROSS JOIN LATERAL (
       SELECT e.id, e.class, (row_number() OVER (ORDER BY e.id) - 1) / ${PART_SIZE} AS part FROM entries e
       WHERE e.instance_id = $1 AND e.tokens @> ARRAY[l.token] ${condition} OFFSET 0) e
     GROUP BY l.hash, l.level, l.first, e.part`,
    numberList(lists.map(({ hash }) => hash)),
    numberList(lists.map(({ level }) => level)),
    numberList(lists.map(({ token }) => token)),
    numberList(lists.map(({ above }) => above)),
    textList(lists.map(({ epochs }) => numberList(epochs))),
  );
}

/** Adds documents to lists that lack the same epochs, by reading the tokens of the documents of these epochs. */
async function writeSince(rows: Rows, lists: readonly List[]): Promise<void> {
  const [first] = lists;
  if (!first) return;
  await rows.all(
    `INSERT INTO postings (instance_id, hash, level, part, size, entries)
     SELECT $1, l.hash, l.level, ${NEXT_PART} + l.part, l.size, l.entries FROM (
       SELECT l.hash, l.level, e.part, count(*) AS size, string_agg(int4send(e.id) || int4send(e.class), ''::bytea ORDER BY e.id DESC) AS entries
       FROM (
         SELECT f.*, (row_number() OVER (PARTITION BY f.token ORDER BY f.id) - 1) / ${PART_SIZE} AS part FROM (
           SELECT e.id, e.class, unnest(e.tokens) AS token FROM entries e WHERE e.instance_id = $1 AND e.tokens && $5::int[] OFFSET 0) f
         WHERE f.token = ANY ($4::int[])) e
       JOIN unnest($2::int[], $3::int[], $4::int[]) AS l (hash, level, token) ON l.token = e.token
       GROUP BY l.hash, l.level, e.part) l`,
    numberList(lists.map(({ hash }) => hash)),
    numberList(lists.map(({ level }) => level)),
    numberList(lists.map(({ token }) => token)),
    numberList(first.epochs),
  );
}
