import { SPARSE_SHARE } from "#documents/find/candidates.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import type { Holding } from "#documents/find/rank.ts";
import { AS_WRITTEN, COMPLETED, IN_ANY_FORM, wordsOf } from "#documents/find/tally.ts";
import { LEVELS, rarityOf, shareOf } from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { numberList, type Rows, textList } from "#documents-postgres/database.ts";
import { levelToken, pairTokens, wordToken } from "#documents-postgres/tokens.ts";
import type { Admission } from "./admission.ts";
import type { FoundWords } from "./forms.ts";
import { Parameters } from "./parameters.ts";
import type { Question } from "./question.ts";
import type { Scope } from "./scope.ts";

const WAYS = [AS_WRITTEN, COMPLETED, IN_ANY_FORM] as const;

/** Words that at most this many documents hold are counted among what the person may see. For others the count is estimated. */
const COUNTED_MAX = 2000;

/** What the index finds a search by. */
export class Lists {
  readonly #instanceId: number;
  readonly #hash: WordHash;
  readonly #found: FoundWords;

  constructor(instanceId: number, hash: WordHash, found: FoundWords) {
    this.#instanceId = instanceId;
    this.#hash = hash;
    this.#found = found;
  }

  get slots(): number {
    return this.#found.words.length;
  }

  wordsOf(slot: number, way: number): readonly string[] {
    return wordsOf(this.#found.words[slot], way);
  }

  /** Numbers of the words by which documents hold a slot's word in a way. */
  tokens(slot: number, way: number): readonly number[] {
    return this.wordsOf(slot, way).map((word) => this.token(word));
  }

  token(word: string): number {
    return wordToken(this.#instanceId, this.#hash(word));
  }

  /** Numbers of the pairs that stand in a row where the words do. */
  pairTokens(words: readonly string[]): readonly number[] {
    return pairTokens(this.#instanceId, words.map(this.#hash));
  }

  /** The same of all slots. */
  allTokens(way: number): readonly number[] {
    return [...new Set(this.#found.words.flatMap((_, slot) => this.tokens(slot, way)))];
  }

  /** How many documents hold one of a slot's words, at most, seen or not. */
  entries(slot: number, way: number): number {
    return this.wordsOf(slot, way).reduce((sum, word) => sum + this.#found.frequencyOf(word).documents, 0);
  }

  level(slot: number, way: number, level: number): { readonly tokens: readonly number[]; readonly entries: number } {
    const words = this.wordsOf(slot, way);
    return {
      tokens: words.map((word) => levelToken(this.#instanceId, this.#hash(word), level)),
      entries: words.reduce((sum, word) => sum + (this.#found.frequencyOf(word).levels[level] ?? 0), 0),
    };
  }

  /** The fewest documents that a slot's word is in, and so the most that hold all words. */
  get rarest(): number {
    return Math.min(...this.#found.words.map((_, slot) => this.entries(slot, COMPLETED)));
  }
}

/** How many of the documents that count hold words, in each way. */
export async function holdings(rows: Rows, scope: Scope, lists: Lists, share: number): Promise<Holding> {
  const known = new Map<string, number>();
  const key = (slot: number, way: number) => [...lists.tokens(slot, way)].sort((one, other) => one - other).join(",");
  const counted: string[] = [];
  for (let slot = 0; slot < lists.slots; slot++) {
    for (const way of WAYS) {
      const name = key(slot, way);
      if (known.has(name)) continue;
      const entries = lists.entries(slot, way);
      known.set(name, entries * share);
      if (entries === 0 || entries > COUNTED_MAX) continue;
      counted.push(name);
    }
  }
  if (counted.length > 0) {
    const parameters = new Parameters();
    const [row] = await rows.all<{ counts: number[] }>(
      `SELECT json_agg(c.count ORDER BY l.at) AS counts
       FROM unnest(${parameters.add(textList(counted.map((name) => `{${name}}`)), "text[]")}) WITH ORDINALITY AS l (tokens, at)
       CROSS JOIN LATERAL (SELECT count(*) FROM entries e
         WHERE e.tokens && l.tokens::int[] AND ${scope.conditionInLists(parameters)}) c`,
      ...parameters.values,
    );
    for (const [at, name] of counted.entries()) known.set(name, row?.counts[at] ?? 0);
  }
  return (slot, way) => known.get(key(slot, way)) ?? 0;
}

/**
 * What documents have to meet that hold all words, the unfinished one or a completion of it, the pairs of words that phrases have, and
 * nothing unwanted.
 */
export function togetherCondition(lists: Lists, question: Question, parameters: Parameters): string {
  const single = question.phrases.flatMap(({ words }) => lists.pairTokens(words));
  const conditions: string[] = [];
  for (let slot = 0; slot < lists.slots; slot++) {
    const tokens = lists.tokens(slot, COMPLETED);
    if (tokens.length === 1) single.push(...tokens);
    else conditions.push(`e.tokens && ${parameters.add(numberList(tokens), "int[]")}`);
  }
  if (single.length > 0) conditions.unshift(`e.tokens @> ${parameters.add(numberList(single), "int[]")}`);
  const unwanted = question.unwanted.filter((words) => words.length === 1).flat();
  if (unwanted.length > 0) {
    const tokens = unwanted.map((word) => lists.token(word));
    conditions.push(`NOT e.tokens && ${parameters.add(numberList(tokens), "int[]")}`);
  }
  return conditions.join(" AND ");
}

/** The newest documents that hold all words, where these are few enough to be found at once. */
export async function together(
  rows: Rows,
  scope: Scope,
  lists: Lists,
  question: Question,
  max: number,
): Promise<readonly number[]> {
  const parameters = new Parameters();
  const all = togetherCondition(lists, question, parameters);
  const condition = scope.condition(parameters);
  const [row] = await rows.all<{ ids: number[] | null }>(
    `WITH found AS MATERIALIZED (SELECT e.id FROM entries e WHERE ${all} AND ${condition})
     SELECT json_agg(n.id) AS ids FROM (SELECT id FROM found ORDER BY id DESC LIMIT ${parameters.add(max, "int")}) n`,
    ...parameters.values,
  );
  return row?.ids ?? [];
}

/** A word at some of its levels: what a document gains by it, and how many documents there are. */
interface List {
  readonly slot: number;
  readonly gain: number;
  readonly tokens: readonly number[];
  readonly entries: number;
}

/**
 * Reads the index from what weighs most down, as far as a number of entries goes, and adds up what each document that counts gains.
 *
 * @param all only documents with all words; else those with any
 * @returns those that gain most, of equals the newest first
 */
export async function gather(
  rows: Rows,
  scope: Scope,
  lists: Lists,
  way: number,
  rarities: readonly number[],
  {
    all,
    entries,
    listMax,
    enough,
    max,
  }: {
    readonly all: Question | null;
    readonly entries: number;
    /** Documents that are taken from each list; `null`: all. */
    readonly listMax: number | null;
    /** Of a word alone: no document beyond so many weighs more. */
    readonly enough: number;
    readonly max: number;
  },
): Promise<readonly number[]> {
  const chosen = chosenLists(lists, way, rarities, entries, enough);
  if (chosen.length === 0) return [];
  const parameters = new Parameters();
  const condition = [
    ...(all === null ? [] : [togetherCondition(lists, all, parameters)]),
    scope.conditionInLists(parameters),
  ].join(" AND ");
  const slots = parameters.add(numberList(chosen.map(({ slot }) => slot)), "int[]");
  const gains = parameters.add(numberList(chosen.map(({ gain }) => gain)), "float8[]");
  const tokens = parameters.add(textList(chosen.map((list) => numberList(list.tokens))), "text[]");
  // The lists are values, so one plan reads each of them: planning an arm of a union for each took longer than reading them.
  const [row] = await rows.all<{ ids: number[] | null }>(
    `SELECT json_agg(b.id) AS ids FROM (
       SELECT s.id FROM (
         SELECT e.id, max(l.gain) AS gain FROM unnest(${slots}, ${gains}, ${tokens}) AS l (slot, gain, tokens)
         CROSS JOIN LATERAL (
           SELECT e.id FROM entries e WHERE e.tokens && l.tokens::int[] AND ${condition}
           ${listMax === null ? "OFFSET 0" : `LIMIT ${parameters.add(listMax, "int")}`}) e
         GROUP BY e.id, l.slot) s
       GROUP BY s.id ORDER BY sum(s.gain) DESC, s.id DESC LIMIT ${parameters.add(max, "int")}) b`,
    ...parameters.values,
  );
  return row?.ids ?? [];
}

function chosenLists(
  lists: Lists,
  way: number,
  rarities: readonly number[],
  entries: number,
  enough: number,
): readonly List[] {
  const all = rarities.flatMap((rarity, slot) =>
    Array.from({ length: LEVELS }, (_, level): List => {
      return { slot, gain: rarity * shareOf(level), ...lists.level(slot, way, level) };
    }).filter((list) => list.entries > 0),
  );
  const chosen: List[] = [];
  let read = 0;
  for (const list of all.sort((one, other) => other.gain - one.gain)) {
    // One list is always read, within the time limit of a statement.
    if (chosen.length > 0 && read + list.entries > entries) break;
    chosen.push(list);
    read += list.entries;
    if (lists.slots === 1 && read >= enough) break;
  }
  return merged(chosen);
}

/** The most lists that one statement reads. */
const ARMS_MAX = 24;

/** If there are more lists than one statement reads, neighboring lists of a word are read as one. */
function merged(lists: readonly List[]): readonly List[] {
  if (lists.length <= ARMS_MAX) return lists;
  const bySlot = [...Map.groupBy(lists, ({ slot }) => slot).values()];
  const size = Math.ceil(lists.length / ARMS_MAX) + 1;
  return bySlot.flatMap((of) =>
    Array.from({ length: Math.ceil(of.length / size) }, (_, at) => {
      const part = of.slice(at * size, (at + 1) * size);
      return {
        slot: part[0]?.slot ?? 0,
        gain: part.reduce((sum, { gain }) => sum + gain, 0) / part.length,
        tokens: part.flatMap(({ tokens }) => tokens),
        entries: part.reduce((sum, one) => sum + one.entries, 0),
      };
    }),
  );
}

/** How much it tells that a document holds a slot's word. */
export function raritiesOf(slots: number, way: number, { count }: Admission, holding: Holding): readonly number[] {
  return Array.from({ length: slots }, (_, slot) => rarityOf(count, holding(slot, way)));
}

/** How many entries of the index are read. @param share of all documents, how many count */
export function entriesToRead(limits: FindLimits, slots: number, share: number): number {
  return share < SPARSE_SHARE ? limits.sparseEntries : limits.entries + limits.entriesByWord * slots;
}
