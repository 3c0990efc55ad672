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
  /** The most documents, of all words together, whose holders one step writes. Words with more are written in several steps. */
  readonly holders: number;
  /** The most entries of postings that one step writes. Words with more take several steps, each of at least one level. */
  readonly entries: number;
  /** No search reads more entries of a word at a level. Of longer lists, about this many of the newest documents are posted. */
  readonly list: number;
}

export const POSTING: Posting = { documents: 256, few: 10_000, holders: 20_000, entries: 20_000, list: 16_384 };

/** By how many epochs a word's postings may be behind: for each, searches look for one more token. */
export const EPOCHS_BEHIND_MAX = 8;

/** The minimum duration of an epoch, a little less than the clean-up waits after a write. */
const EPOCH_SECONDS = 3000;

/** Of a long list, at most this many times the wanted number of entries are posted. */
const LIST_SPARE = 1.25;

/** The most documents in a part. */
export const PART_SIZE = 4096;

/**
 * How much of a step's work adding new documents of a word counts as at least, in entries, if few or many were written since.
 */
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
  readonly documents: number;
  readonly posted: number;
  /** While a word is written in several steps: the last epoch whose documents the levels before `level` have. */
  readonly posting: number;
  readonly level: number;
  readonly levels: readonly number[];
  readonly parts: number;
  readonly size: number;
}

/** The postings of a word at a level. */
interface List {
  readonly hash: number;
  readonly level: number;
  readonly token: number;
  /** How many documents are in the list. */
  readonly entries: number;
  /** Tokens of the epochs whose documents are not posted yet. */
  readonly epochs: readonly number[];
}

/** The levels that one step writes of a word whose postings are written anew: from `from` up to, but not including, `until`. */
interface Fresh {
  readonly word: Word;
  readonly from: number;
  readonly until: number;
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
  if (state.isDue) {
    await beginEpoch(rows, now, documents, state.areEpochsTold);
    return true;
  }
  const { epoch } = state;
  const found = await rows.all<Word>(
    `SELECT w.hash, w.documents, w.posted, w.posting, w.posting_level AS level, ${LEVEL_COUNTS} AS levels,
       p.parts, p.size
     FROM words w CROSS JOIN LATERAL (SELECT count(*) AS parts, coalesce(sum(p.size), 0) AS size FROM postings p
       WHERE p.instance_id = $1 AND p.hash = w.hash) p
     WHERE ${COMMON} AND w.posted < $4 LIMIT ${WORDS_A_STEP}`,
    ...commonFrom(documents),
    epoch - 1,
  );
  const known = found.filter((word) => !isNew(word, epoch, posting));
  const since = Math.min(...known.map((word) => word.posted));
  const areFew = known.length === 0 || (await areFewSince(rows, epochsBetween(rows, since, epoch), posting.few));
  // If many documents were written, each of them may have the word.
  const isAdded = (word: Word) => !isNew(word, epoch, posting) && (areFew || word.documents <= posting.entries);
  const fresh: Fresh[] = [];
  const added: Word[] = [];
  let left = posting.entries;
  for (const word of found) {
    if (left <= 0) break;
    if (isAdded(word)) {
      added.push(word);
      left -= areFew ? ENTRIES_A_WORD.few : Math.max(ENTRIES_A_WORD.many, word.documents);
      continue;
    }
    const from = isBegun(word, epoch) ? word.level : 0;
    const isFirst = fresh.length + added.length === 0;
    let until = from;
    for (; until < LEVELS; until++) {
      const entries = posted(word.levels[until] ?? 0, posting);
      if (entries > left && !(isFirst && until === from)) break;
      left -= entries;
    }
    if (until > from) fresh.push({ word, from, until });
    if (until < LEVELS) left = 0;
  }
  if (fresh.length + added.length === 0) return false;
  await writeNew(writing, fresh, epoch, posting);
  await add(rows, added, epoch, areFew);
  return true;
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
async function beginEpoch(rows: Rows, now: number, documents: number, isTold: boolean): Promise<void> {
  await rows.all(
    `UPDATE instances SET epoch = epoch + $3, epoch_at = $2, epoch_version = version, told_version = version
     WHERE instance_id = $1`,
    now,
    isTold ? 1 : EPOCHS_BEHIND_MAX + 1,
  );
  await rows.all(
    `WITH rare AS (UPDATE words SET posted = 0, posting = 0, gathered = 0, gathering = 0 WHERE instance_id = $1 AND hash IN (
         SELECT hash FROM words WHERE instance_id = $1 AND posted > 0 AND documents < $2 LIMIT ${WORDS_A_STEP}) RETURNING hash),
       holding AS (DELETE FROM holders h USING rare r WHERE h.instance_id = $1 AND h.hash = r.hash)
     DELETE FROM postings p USING rare r WHERE p.instance_id = $1 AND p.hash = r.hash`,
    Math.floor(documents / 2),
  );
}

/** Checks whether a word's postings have to be written anew, instead of being added to. */
function isNew({ posted: last, levels, parts, size }: Word, epoch: number, posting: Posting): boolean {
  const whole = levels.reduce((sum, entries) => sum + posted(entries, posting), 0);
  return (
    last === 0 ||
    epoch - last > EPOCHS_BEHIND_MAX ||
    parts > LEVELS * PARTS_MAX ||
    size > whole * GROWTH_MAX + PART_SIZE
  );
}

/** Checks whether a word's postings are being written anew, so that the next step continues with `level`. */
function isBegun({ posted: last, posting, level }: Word, epoch: number): boolean {
  return last === 0 && posting > 0 && epoch - posting <= EPOCHS_BEHIND_MAX && level < LEVELS;
}

/** Returns about how many entries of a list are posted if it has this many. */
function posted(entries: number, { list }: Posting): number {
  return Math.min(Math.max(entries, 0), list);
}

/** Returns the tokens of the epochs after `last` that are over. */
export function epochsBetween(
  { instanceId }: Pick<Rows, "instanceId">,
  last: number,
  epoch: number,
): readonly number[] {
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

async function writeNew(
  { rows, lastDocument }: Writing,
  fresh: readonly Fresh[],
  epoch: number,
  { list }: Posting,
): Promise<void> {
  if (fresh.length === 0) return;
  const begun = fresh.filter(({ word }) => !isBegun(word, epoch)).map(({ word }) => word.hash);
  if (begun.length > 0)
    await rows.all("DELETE FROM postings WHERE instance_id = $1 AND hash = ANY ($2::int[])", numberList(begun));
  const lists = fresh.flatMap(({ word, from, until }) => listsOf(rows, word, from, until, []));
  // A range of all ids would be read for each list, so lists of all documents get no condition.
  await write(
    rows,
    lists.filter(({ entries }) => entries <= list),
    "0",
    "",
  );
  for (const long of lists.filter(({ entries }) => entries > list)) {
    let above = Math.floor(lastDocument * (1 - list / long.entries));
    // If most of the list's documents are new, fewer of them are read.
    while (!(await writeAbove(rows, long, above, Math.ceil(list * LIST_SPARE))))
      above = Math.ceil((above + lastDocument) / 2);
  }
  const upToOf = ({ word }: Fresh) => (isBegun(word, epoch) ? word.posting : epoch - 1);
  const isWhole = ({ until }: Fresh) => until === LEVELS;
  await rows.all(
    `UPDATE words w SET posted = f.posted, posting = f.posting, posting_level = f.level
     FROM unnest($2::int[], $3::int[], $4::int[], $5::int[]) AS f (hash, posted, posting, level)
     WHERE w.instance_id = $1 AND w.hash = f.hash`,
    numberList(fresh.map(({ word }) => word.hash)),
    numberList(fresh.map((one) => (isWhole(one) ? upToOf(one) : 0))),
    numberList(fresh.map((one) => (isWhole(one) ? 0 : upToOf(one)))),
    numberList(fresh.map((one) => (isWhole(one) ? 0 : one.until))),
  );
}

async function add(rows: Rows, words: readonly Word[], epoch: number, areFew: boolean): Promise<void> {
  if (words.length === 0) return;
  for (const [last, of] of Map.groupBy(words, (word) => word.posted)) {
    const lists = of.flatMap((word) => listsOf(rows, word, 0, LEVELS, epochsBetween(rows, last, epoch)));
    await (areFew ? writeSince(rows, lists) : write(rows, lists, NEXT_PART, "AND e.tokens && l.epochs::int[]"));
  }
  await rows.all(
    "UPDATE words SET posted = $3 WHERE instance_id = $1 AND hash = ANY ($2::int[])",
    numberList(words.map(({ hash }) => hash)),
    epoch - 1,
  );
}

function listsOf(
  { instanceId }: Rows,
  { hash, levels }: Word,
  from: number,
  until: number,
  epochs: readonly number[],
): readonly List[] {
  return levels.flatMap((entries, level): List[] =>
    entries <= 0 || level < from || level >= until
      ? []
      : [{ hash, level, entries, epochs, token: levelToken(instanceId, hash >>> 0, level) }],
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
     FROM (SELECT l.*, ${first} AS first FROM unnest($2::int[], $3::int[], $4::int[], $5::text[]) AS l (hash, level, token, epochs)) l
     CROSS JOIN LATERAL (
       SELECT e.id, e.class, (row_number() OVER (ORDER BY e.id) - 1) / ${PART_SIZE} AS part FROM entries e
       WHERE e.instance_id = $1 AND e.tokens @> ARRAY[l.token] ${condition} OFFSET 0) e
     GROUP BY l.hash, l.level, l.first, e.part`,
    numberList(lists.map(({ hash }) => hash)),
    numberList(lists.map(({ level }) => level)),
    numberList(lists.map(({ token }) => token)),
    textList(lists.map(({ epochs }) => numberList(epochs))),
  );
}

/** Writes the documents of a list above an id, unless there are more than `max`. @returns whether it wrote them */
async function writeAbove(rows: Rows, { hash, level, token }: List, above: number, max: number): Promise<boolean> {
  const [read] = await rows.all<{ count: number }>(
    `WITH e AS MATERIALIZED (SELECT e.id, e.class FROM entries e
         WHERE e.instance_id = $1 AND e.tokens @> ARRAY[$4::int] AND e.id > $5::int LIMIT $6::int + 1),
       written AS (INSERT INTO postings (instance_id, hash, level, part, size, entries)
         SELECT $1, $2, $3, p.part, count(*), string_agg(int4send(p.id) || int4send(p.class), ''::bytea ORDER BY p.id DESC)
         FROM (SELECT e.id, e.class, (row_number() OVER (ORDER BY e.id) - 1) / ${PART_SIZE} AS part FROM e) p
         WHERE (SELECT count(*) FROM e) <= $6::int GROUP BY p.part)
     SELECT count(*) AS count FROM e`,
    hash,
    level,
    token,
    above,
    max,
  );
  return (read?.count ?? 0) <= max;
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
