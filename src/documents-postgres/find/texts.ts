import type { FindLimits } from "#documents/find/limits.ts";
import type { Beginning } from "#documents/find/nearness.ts";
import type { AskedWords } from "#documents/find/question.ts";
import type { Ranked } from "#documents/find/rank.ts";
import { INDEXED_CHARACTERS_MAX } from "#documents/index-rules.ts";
import type { DocumentTexts } from "#documents/write/word-counts.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";
import type { Entries } from "./entries.ts";
import { TITLE_LENGTH_MAX } from "./known-forwards.ts";

/** Returns the texts of documents, as far as they are indexed, in one row: a row for each costs the driver more. */
export async function textsOf(rows: Rows, ids: readonly number[]): Promise<ReadonlyMap<number, DocumentTexts>> {
  return ids.length === 0 ? new Map() : textsAmong(rows, "$2::int[]", numberList(ids));
}

const NO_TEXTS: DocumentTexts = { title: "", keywords: "", metadata: "", body: "" };

/**
 * Returns the same for documents that have all pairs of words according to the index. The others can't contain a phrase with
 * these pairs, so their texts are left empty.
 */
async function textsWithPairs(
  rows: Rows,
  ids: readonly number[],
  pairs: readonly number[],
): Promise<ReadonlyMap<number, DocumentTexts>> {
  if (ids.length === 0) return new Map();
  const among = `ARRAY(SELECT e.id FROM entries e WHERE e.tokens @> $4::int[] AND e.instance_id = $1 AND e.id + 0 = ANY ($2::int[]))`;
  const read = await textsAmong(rows, among, numberList(ids), numberList(pairs));
  return new Map(ids.map((id) => [id, read.get(id) ?? NO_TEXTS]));
}

async function textsAmong(
  rows: Rows,
  among: string,
  ids: string,
  ...pairs: readonly string[]
): Promise<Map<number, DocumentTexts>> {
  const [row] = await rows[pairs.length === 0 ? "byKey" : "all"]<{
    texts: (readonly [number, string, string, string, string])[] | null;
  }>(
    `SELECT json_agg(json_build_array(id, title, keywords, metadata_words, left(body, $3))) AS texts FROM documents
     WHERE instance_id = $1 AND id = ANY (${among})`,
    ids,
    INDEXED_CHARACTERS_MAX,
    ...pairs,
  );
  return new Map(
    (row?.texts ?? []).map(([id, title, keywords, metadata, body]) => [id, { title, keywords, metadata, body }]),
  );
}

/** Returns the titles of documents, and the beginnings of some of their bodies. */
export async function beginningsOf(
  rows: Rows,
  entries: Entries,
  ids: readonly number[],
  titled: readonly number[],
  characters: number,
): Promise<ReadonlyMap<number, Beginning>> {
  const beginnings = new Map<number, Beginning>();
  const unread = new Set(ids);
  for (const id of titled) {
    const title = unread.has(id) ? undefined : entries.forwardOf(id)?.title;
    if (title === undefined) unread.add(id);
    else beginnings.set(id, { title, body: null });
  }
  if (unread.size === 0) return beginnings;
  const [row] = await rows.byKey<{ read: (readonly [number, string, string | null])[] | null }>(
    `SELECT json_agg(json_build_array(id, title, CASE WHEN id = ANY ($3::int[]) THEN left(body, $4) END)) AS read FROM documents
     WHERE instance_id = $1 AND id = ANY ($2::int[])`,
    numberList(unread),
    numberList(ids),
    characters,
  );
  for (const [id, title, body] of row?.read ?? []) {
    beginnings.set(id, { title, body });
    const forward = entries.forwardOf(id);
    if (forward && title.length <= TITLE_LENGTH_MAX) forward.title = title;
  }
  return beginnings;
}

/**
 * Returns the texts that a check of phrases will ask for, within its limits.
 *
 * @param pairsOf returns the tokens that the index has for a phrase; `null` if only documents that have them are checked
 */
export async function textsToCheck(
  rows: Rows,
  { phrases, unwanted }: AskedWords,
  pairsOf: ((words: readonly string[]) => readonly number[]) | null,
  ranked: readonly Pick<Ranked, "row" | "hasAll">[],
  lengthOf: (id: number) => number,
  { checked, checkedWords }: FindLimits,
): Promise<ReadonlyMap<number, DocumentTexts>> {
  const isEvery = phrases.some(({ isRequired }) => isRequired) || unwanted.some((words) => words.length > 1);
  if (!isEvery && phrases.length === 0) return new Map();
  const asked: number[] = [];
  let words = 0;
  for (const { row, hasAll } of ranked) {
    if (!isEvery && !hasAll) continue;
    words += lengthOf(row);
    if (asked.length === checked || words > checkedWords) break;
    asked.push(row);
  }
  const decisive = phrases.some(({ isRequired }) => isRequired) ? phrases.filter((one) => one.isRequired) : phrases;
  const pairs = decisive.flatMap((one) => pairsOf?.(one.words) ?? []);
  // Only a document's text tells whether it contains an unwanted phrase.
  const isTold = pairs.length > 0 && unwanted.every((one) => one.length === 1);
  return isTold ? textsWithPairs(rows, asked, pairs) : textsOf(rows, asked);
}
