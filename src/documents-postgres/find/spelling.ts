import type { FindLimits } from "#documents/find/limits.ts";
import type { Ranked } from "#documents/find/rank.ts";
import { type MissingWord, missingIn, withCorrections } from "#documents/find/spelling.ts";
import { IN_ANY_FORM, wordsOf } from "#documents/find/tally.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { numberList, type Rows, textList } from "#documents-postgres/database.ts";
import { wordToken } from "#documents-postgres/tokens.ts";
import { type FoundWords, frequencies } from "./forms.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";

/** The words of a search with those that stand for misspelt ones. */
export interface CorrectedWords {
  readonly found: FoundWords;
  /** By slot. */
  readonly corrections: ReadonlyMap<number, string>;
}

/**
 * For words that no document has which the person may see, the spelling that most of these documents have: a word that only others may
 * read neither corrects one nor keeps it from being corrected. `null`: there is none.
 *
 * @param ranked what was found without corrections
 * @param isNarrow whether all that the person may see and has a word was ranked
 */
export async function correctedWords(
  rows: Rows,
  hash: WordHash,
  scope: Scope,
  found: FoundWords,
  ranked: readonly Ranked[],
  isNarrow: boolean,
  limits: FindLimits,
): Promise<CorrectedWords | null> {
  const all = missingIn(found.words, ranked);
  if (all.length === 0) return null;
  const tokensOf = (words: readonly string[]) => words.map((word) => wordToken(rows.instanceId, hash(word)));
  const holders = (lists: readonly (readonly number[])[]) => countVisible(rows, scope, lists, isNarrow, limits.sample);
  const asked = isNarrow ? [] : await holders(all.map(({ word }) => tokensOf(wordsOf(word, IN_ANY_FORM))));
  const missing = all.filter((_, at) => (asked[at] ?? 0) === 0);
  const known = await frequencies(
    rows,
    hash,
    missing.flatMap(({ beside }) => beside),
  );
  const candidates = [...known].filter(([, { documents }]) => documents > 0).map(([word]) => word);
  if (candidates.length === 0) return null;
  const counts = await holders(candidates.map((word) => tokensOf([word])));
  const documents = new Map(candidates.map((word, at) => [word, counts[at] ?? 0]));
  const corrections = new Map(missing.flatMap((one) => correctionOf(one, documents)));
  if (corrections.size === 0) return null;
  const frequencyOf: FoundWords["frequencyOf"] = (word) => known.get(word) ?? found.frequencyOf(word);
  return { found: { words: withCorrections(found.words, corrections), frequencyOf }, corrections };
}

function correctionOf(
  { slot, beside }: MissingWord,
  documents: ReadonlyMap<string, number>,
): readonly (readonly [number, string])[] {
  const countOf = (word: string) => documents.get(word) ?? 0;
  const [best] = beside.filter((word) => countOf(word) > 0).sort((one, other) => countOf(other) - countOf(one));
  return best === undefined ? [] : [[slot, best]];
}

/** How many of the documents that count have a word of each list; where many count, of so many that have one. */
async function countVisible(
  rows: Rows,
  scope: Scope,
  lists: readonly (readonly number[])[],
  isNarrow: boolean,
  sample: number,
): Promise<readonly number[]> {
  const parameters = new Parameters();
  const given = parameters.add(textList(lists.map(numberList)), "text[]");
  const condition = scope.conditionInLists(parameters);
  const most = isNarrow ? "" : `LIMIT ${parameters.add(sample, "int")}`;
  const [row] = await rows.all<{ counts: readonly number[] }>(
    `SELECT json_agg(c.count ORDER BY l.at) AS counts FROM unnest(${given}) WITH ORDINALITY AS l (tokens, at)
     CROSS JOIN LATERAL (SELECT count(*) FROM (
       SELECT e.* FROM entries e WHERE e.tokens && l.tokens::int[] AND e.instance_id = $1 ${most} OFFSET 0) e
       WHERE ${condition}) c`,
    ...parameters.values,
  );
  return row?.counts ?? [];
}
