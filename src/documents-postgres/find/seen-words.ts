import type { WordHash } from "#documents/word-hash.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";
import { wordToken } from "#documents-postgres/tokens.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";
import type { Word } from "./vocabulary.ts";

/** If more documents hold a word, the person is assumed to see one of them. */
const RARE = 200;

/**
 * Of each list the first words of which the person may see a document. All of a list that is no longer than what is looked for.
 *
 * @param max how many words of each list are looked for
 */
export async function seenAmong(
  rows: Rows,
  hash: WordHash,
  scope: Scope,
  lists: readonly (readonly Word[])[],
  max: number,
): Promise<readonly (readonly string[])[]> {
  const isShort = (list: readonly Word[]) => list.length <= max;
  if (lists.every(isShort)) return lists.map((list) => list.map(({ word }) => word));
  const words = lists.flatMap((list, of) =>
    list.map((one) => ({ of, word: one.word, isAsked: !isShort(list) && one.documents <= RARE })),
  );
  const parameters = new Parameters();
  const of = parameters.add(numberList(words.map((one) => one.of)), "int[]");
  const tokens = parameters.add(numberList(words.map(({ word }) => wordToken(rows.instanceId, hash(word)))), "int[]");
  const asked = parameters.add(numberList(words.map(({ isAsked }) => (isAsked ? 1 : 0))), "int[]");
  const most = parameters.add(max, "int");
  const [row] = await rows.all<{ seen: readonly (readonly number[] | null)[] | null }>(
    `SELECT json_agg(s.seen ORDER BY l.list) AS seen FROM generate_series(0, ${parameters.add(lists.length - 1, "int")}) AS l (list)
     CROSS JOIN LATERAL (SELECT json_agg(f.at::int - 1) AS seen FROM (
       SELECT r.at FROM unnest(${of}, ${tokens}, ${asked}) WITH ORDINALITY AS r (list, token, asked, at)
       WHERE r.list = l.list AND (r.asked = 0 OR EXISTS (
         SELECT 1 FROM entries e WHERE e.tokens @> ARRAY[r.token] AND ${scope.conditionInLists(parameters)}))
       ORDER BY r.at LIMIT ${most}) f) s`,
    ...parameters.values,
  );
  return (row?.seen ?? []).map((places) => (places ?? []).map((at) => words[at]?.word ?? ""));
}
