import type { FindLimits } from "#documents/find/limits.ts";
import type { AskedWords } from "#documents/find/question.ts";
import { type Ranked, SOME_WORDS } from "#documents/find/rank.ts";
import { INDEXED_CHARACTERS_MAX } from "#documents/index-rules.ts";
import type { DocumentTexts } from "#documents/write/word-counts.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";

/** The texts of documents, as far as they are indexed, in one row: a row for each costs the driver more. */
export async function textsOf(rows: Rows, ids: readonly number[]): Promise<ReadonlyMap<number, DocumentTexts>> {
  if (ids.length === 0) return new Map();
  const [row] = await rows.byKey<{ texts: (readonly [number, string, string, string, string])[] | null }>(
    `SELECT json_agg(json_build_array(id, title, keywords, metadata_words, left(body, $3))) AS texts FROM documents
     WHERE instance_id = $1 AND id = ANY ($2::int[])`,
    numberList(ids),
    INDEXED_CHARACTERS_MAX,
  );
  return new Map(
    (row?.texts ?? []).map(([id, title, keywords, metadata, body]) => [id, { title, keywords, metadata, body }]),
  );
}

export async function titlesOf(rows: Rows, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const [row] = await rows.byKey<{ titles: (readonly [number, string])[] | null }>(
    `SELECT json_agg(json_build_array(id, title)) AS titles FROM documents
     WHERE instance_id = $1 AND id = ANY ($2::int[])`,
    numberList(ids),
  );
  return new Map(row?.titles ?? []);
}

/** The texts that a check of phrases will ask for, within its limits. */
export async function textsToCheck(
  rows: Rows,
  { phrases, unwanted }: AskedWords,
  ranked: readonly Pick<Ranked, "row" | "tier">[],
  lengthOf: (id: number) => number,
  { checked, checkedWords }: FindLimits,
): Promise<ReadonlyMap<number, DocumentTexts>> {
  const isEvery = phrases.some(({ isRequired }) => isRequired) || unwanted.some((words) => words.length > 1);
  if (!isEvery && phrases.length === 0) return new Map();
  const asked: number[] = [];
  let words = 0;
  for (const { row, tier } of ranked) {
    if (!isEvery && tier === SOME_WORDS) continue;
    words += lengthOf(row);
    if (asked.length === checked || words > checkedWords) break;
    asked.push(row);
  }
  return textsOf(rows, asked);
}
