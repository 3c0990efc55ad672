import type { FindLimits } from "#documents/find/limits.ts";
import { PhraseCheck } from "#documents/find/phrases.ts";
import { tallyOf } from "#documents/find/tally.ts";
import type { WordHash } from "#documents/word-hash.ts";
import type { Rows } from "#documents-postgres/database.ts";
import type { ForwardReader } from "./forwards.ts";
import { type Candidate, candidatesIn } from "./found.ts";
import type { Lists } from "./lists.ts";
import { Parameters } from "./parameters.ts";
import type { Question } from "./question.ts";
import type { Scope } from "./scope.ts";
import { textsOf } from "./texts.ts";
import { togetherCondition } from "./together.ts";

/** How to find documents that match and were not scored: newest first, for as many pages as somebody requests. */
export interface Others {
  /** The lists that find them; `null`: all that the filters leave. */
  readonly lists: Lists | null;
  /**
   * Whether the index finds all of them at once. Otherwise, one stretch of ids is searched at a time, the newest first.
   */
  readonly isRare: boolean;
}

/** The number of ids that one page looks at, if words are common. */
const STRETCH = 5000;

/**
 * Returns the next of the others. The work is limited, so there may be fewer than requested even if there are more after them.
 *
 * @returns `before`: the id before which the next ones are; 1 if there are none
 */
export async function othersBefore(
  rows: Rows,
  forwards: ForwardReader,
  hash: WordHash,
  scope: Scope,
  question: Question,
  { lists, isRare }: Others,
  {
    known,
    before,
    max,
    limits,
  }: {
    readonly known: ReadonlySet<number>;
    readonly before: number;
    readonly max: number;
    readonly limits: FindLimits;
  },
): Promise<{ readonly ids: readonly number[]; readonly before: number }> {
  const most = max + limits.checked;
  const stretch = Math.max(1, Math.min(STRETCH, limits.togetherEntries));
  const above = lists === null || isRare ? 0 : Math.max(0, before - 1 - stretch);
  const found =
    lists === null
      ? await newestIn(rows, scope, before, most)
      : await newestIn(rows, scope, before, known.size + most, { lists, question, above, isRare });
  const candidates = found.filter(({ id }) => !known.has(id));
  const isAll = found.length < (lists === null ? most : known.size + most);
  const next = isAll ? above + 1 : (found.at(-1)?.id ?? 1);
  const left = await allowed(rows, forwards, hash, question, candidates, limits);
  // A cursor to an empty page would reveal that there are documents the person can't see.
  if (left.length > max) return { ids: left.slice(0, max), before: left[max - 1] ?? next };
  return { ids: left, before: next };
}

/** Returns the newest documents in scope before an id. */
export async function newestIn(
  rows: Rows,
  scope: Scope,
  before: number,
  max: number,
  among?: { readonly lists: Lists; readonly question: Question; readonly above: number; readonly isRare: boolean },
): Promise<readonly Candidate[]> {
  const parameters = new Parameters();
  const window = `e.id < ${parameters.add(before, "int")} AND e.id > ${parameters.add(among?.above ?? 0, "int")}`;
  const words = among ? `${togetherCondition(among.lists, among.question, parameters)} AND ` : "";
  // If words are rare, the index finds their documents: going back document by document could pass all that exist.
  const isByWords = among?.isRare === true;
  const condition = `${words}${isByWords ? scope.conditionInLists(parameters) : scope.condition(parameters)} AND ${window}`;
  const found = `SELECT e.id, e.length, e.day FROM entries e WHERE ${condition}`;
  return candidatesIn(
    rows,
    `SELECT * FROM (${found}${isByWords ? " OFFSET 0" : ""}) f ORDER BY id DESC LIMIT ${parameters.add(max, "int")}`,
    parameters.values,
  );
}

/** Returns the documents that have the required phrases and nothing unwanted. */
async function allowed(
  rows: Rows,
  forwards: ForwardReader,
  hash: WordHash,
  question: Question,
  documents: readonly Candidate[],
  limits: FindLimits,
): Promise<readonly number[]> {
  const { phrases, unwanted } = question;
  if (phrases.length === 0 && unwanted.length === 0) return documents.map(({ id }) => id);
  const entries = await forwards.of(documents.slice(0, limits.checked), limits.weighedBytes);
  const single = unwanted.filter((words) => words.length === 1).flat();
  const counted = tallyOf([], single, hash, (see) => entries.each(see)).rows;
  if (phrases.length === 0 && unwanted.every((words) => words.length === 1)) return counted;
  const texts = await textsOf(rows, counted);
  const check = new PhraseCheck(
    question,
    limits,
    (id) => entries.lengthOf(id),
    (id) => texts.get(id),
  );
  return counted.filter((id) => check.verdict(id, true) !== null);
}
