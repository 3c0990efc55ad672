import type { FindLimits } from "#documents/find/limits.ts";
import type { Ranked } from "#documents/find/rank.ts";
import { type MissingWord, missingIn, withCorrections } from "#documents/find/spelling.ts";
import { IN_ANY_FORM, wordsOf } from "#documents/find/tally.ts";
import { rowOf } from "#documents/words.ts";
import { countWords, type DocumentTexts } from "#documents/write/word-counts.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { numberList, type Rows, textList } from "#documents-postgres/database.ts";
import { wordToken } from "#documents-postgres/tokens.ts";
import type { Admission } from "./admission.ts";
import type { FoundWords } from "./forms.ts";
import type { ForwardReader } from "./forwards.ts";
import { Parameters } from "./parameters.ts";
import type { Scope } from "./scope.ts";
import { textsOf } from "./texts.ts";
import { type Frequency, frequencies } from "./vocabulary.ts";

/** The most spellings of a word that are looked up in documents before it is left uncorrected. */
const CONFIRMED_MAX = 5;

/** The words of a search, with those that stand for misspelt ones. */
export interface CorrectedWords {
  readonly found: FoundWords;
  /** By slot. */
  readonly corrections: ReadonlyMap<number, string>;
}

/**
 * Corrects words that are in no document that the person may see to the spelling that most of these documents have. A word that
 * only others may read neither corrects a word nor prevents its correction.
 *
 * @param ranked what was found without corrections
 * @param admission if everything that the person may see is scored, all documents that have a word were ranked
 * @returns `null` if there is no correction
 */
export async function correctedWords(
  rows: Rows,
  forwards: ForwardReader,
  hash: WordHash,
  scope: Scope,
  found: FoundWords,
  ranked: readonly Ranked[],
  admission: Admission,
  limits: FindLimits,
): Promise<CorrectedWords | null> {
  const all = missingIn(found.words, ranked);
  if (all.length === 0) return null;
  const tokensOf = (words: readonly string[]) => words.map((word) => wordToken(rows.instanceId, hash(word)));
  const { isNarrow } = admission;
  const holders = (lists: readonly (readonly number[])[], most: number | null = null) =>
    countVisible(rows, scope, lists, isNarrow, limits.sample, most);
  const asked = isNarrow
    ? []
    : await holders(
        all.map(({ word }) => tokensOf(wordsOf(word, IN_ANY_FORM))),
        1,
      );
  const missing = all.filter((_, at) => (asked[at]?.documents ?? 0) === 0);
  const beside = [...new Set(missing.flatMap((one) => one.beside))];
  if (beside.length === 0) return null;
  const { known, holding } =
    isNarrow && admission.count < missing.length * READ_MAX
      ? await toldByAll(rows, forwards, hash, scope, beside, admission, limits)
      : await toldByIndex(rows, hash, beside, (words) => holders(words.map((word) => tokensOf([word]))));
  if (holding.size === 0) return null;
  const corrections = await confirmed(rows, missing, holding);
  if (corrections.size === 0) return null;
  const frequencyOf: FoundWords["frequencyOf"] = (word) => known.get(word) ?? found.frequencyOf(word);
  return { found: { words: withCorrections(found.words, corrections), frequencyOf }, corrections };
}

/** How many documents seem to have a word, and the newest of them. */
interface Holders {
  readonly documents: number;
  readonly newest: number;
}

const NO_HOLDERS: Holders = { documents: 0, newest: 0 };

/** The words that any document has: how many documents have each, and how many of these are in scope. */
interface Told {
  readonly known: ReadonlyMap<string, Frequency>;
  readonly holding: ReadonlyMap<string, Holders>;
}

/**
 * For each misspelt word, some 500 spellings are looked up. If a person sees fewer documents than this for each, all of these
 * documents are read instead.
 */
const READ_MAX = 400;

async function toldByAll(
  { instanceId }: Rows,
  forwards: ForwardReader,
  hash: WordHash,
  scope: Scope,
  words: readonly string[],
  admission: Admission,
  limits: FindLimits,
): Promise<Told> {
  const sought = new Map(words.map((word) => [wordToken(instanceId, hash(word)), 0]));
  const entries = await forwards.withAny(scope, sought, admission, limits.weighedBytes);
  const byHash = new Map(words.map((word) => [hash(word), word]));
  const holding = new Map<string, Holders>();
  entries.each((id, hashes) => {
    for (const one of hashes) {
      const word = byHash.get(one);
      if (word === undefined) continue;
      const { documents, newest } = holding.get(word) ?? NO_HOLDERS;
      holding.set(word, { documents: documents + 1, newest: Math.max(newest, id) });
    }
  });
  return { known: new Map([...holding].map(([word, { documents }]) => [word, { documents, levels: [] }])), holding };
}

async function toldByIndex(
  rows: Rows,
  hash: WordHash,
  words: readonly string[],
  holders: (words: readonly string[]) => Promise<readonly Holders[]>,
): Promise<Told> {
  const known = await frequencies(rows, hash, words);
  const candidates = [...known].filter(([, { documents }]) => documents > 0).map(([word]) => word);
  const counts = candidates.length === 0 ? [] : await holders(candidates);
  return { known, holding: new Map(candidates.map((word, at) => [word, counts[at] ?? NO_HOLDERS])) };
}

/**
 * Returns, by slot, the spelling that most documents seem to have and that the text of one of them confirms. The index alone is
 * not enough: if one of its tokens stands for two words, a word of a document that the person may not see could be shown as the
 * spelling.
 */
async function confirmed(
  rows: Rows,
  missing: readonly MissingWord[],
  holding: ReadonlyMap<string, Holders>,
): Promise<ReadonlyMap<number, string>> {
  const corrections = new Map<number, string>();
  let open = missing.map(({ slot, beside }) => ({ slot, best: bestOf(beside, holding) }));
  while ((open = open.filter(({ best }) => best.length > 0)).length > 0) {
    const texts = await textsOf(
      rows,
      open.flatMap(({ best: [first] }) => first?.newest ?? []),
    );
    open = open.flatMap(({ slot, best: [first, ...next] }) => {
      const text = first && texts.get(first.newest);
      if (!text || !hasWord(text, first.word)) return [{ slot, best: next }];
      corrections.set(slot, first.word);
      return [];
    });
  }
  return corrections;
}

function bestOf(beside: readonly string[], holding: ReadonlyMap<string, Holders>) {
  return beside
    .map((word) => ({ word, ...(holding.get(word) ?? NO_HOLDERS) }))
    .filter(({ documents }) => documents > 0)
    .sort((one, other) => other.documents - one.documents)
    .slice(0, CONFIRMED_MAX);
}

/** Checks whether a word finds a document: it is in one of its texts, or the document writes it in two parts. */
function hasWord(texts: DocumentTexts, word: string): boolean {
  return Object.values(texts).some(rowOf([word])) || countWords(texts).counts.has(word);
}

/**
 * Counts the documents in scope that have a word of each list, and finds the newest of these. If many documents are in scope,
 * only some that have a word are looked at.
 *
 * @param max the count at which counting stops; `null`: it doesn't stop
 */
async function countVisible(
  rows: Rows,
  scope: Scope,
  lists: readonly (readonly number[])[],
  isNarrow: boolean,
  sample: number,
  max: number | null,
): Promise<readonly Holders[]> {
  const parameters = new Parameters();
  const given = parameters.add(textList(lists.map(numberList)), "text[]");
  const condition = scope.conditionInLists(parameters);
  const most = isNarrow ? "" : `LIMIT ${parameters.add(sample, "int")}`;
  const [row] = await rows.all<{ holders: readonly Holders[] | null }>(
    `SELECT json_agg(c ORDER BY l.at) AS holders FROM unnest(${given}) WITH ORDINALITY AS l (tokens, at)
     CROSS JOIN LATERAL (SELECT count(*) AS documents, max(e.id) AS newest FROM (
       SELECT e.id FROM (SELECT e.* FROM entries e WHERE e.tokens && l.tokens::int[] AND e.instance_id = $1 ${most} OFFSET 0) e
       WHERE ${condition} LIMIT ${parameters.add(max, "bigint")}) e) c`,
    ...parameters.values,
  );
  return row?.holders ?? [];
}
