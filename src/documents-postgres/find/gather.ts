import type { FindLimits } from "#documents/find/limits.ts";
import { COMPLETED } from "#documents/find/tally.ts";
import { LEVELS, shareOf } from "#documents/index-rules.ts";
import { numberList, numbersIn, type Rows, textList } from "#documents-postgres/database.ts";
import { type Candidate, candidatesIn } from "./found.ts";
import type { Lists } from "./lists.ts";
import { Parameters } from "./parameters.ts";
import { SPARSE_SHARE } from "./postings.ts";
import type { Question } from "./question.ts";
import { FEW_ENTRIES, holdsClass, type Scope } from "./scope.ts";
import { ALONE, othersCondition } from "./together.ts";

/** The words of a slot at some of their levels: what a document gains by them, and how many documents there are. */
export interface List {
  readonly slot: number;
  readonly gain: number;
  readonly tokens: readonly number[];
  readonly entries: number;
  /** Only documents that also have one of these tokens. */
  readonly among?: readonly number[];
}

/** How much a gathering may read. */
export interface Reading {
  /** Entries of lists. */
  readonly entries: number;
  /** For a single word: after this many entries, no further document scores higher. */
  readonly enough: number;
}

/** What to gather. */
export interface Gathering {
  /** Only documents with all words of this question; `null`: those with any. */
  readonly all: Question | null;
  readonly reading: Reading;
  readonly max: number;
}

export interface Gathered {
  /** The documents that gain most; among equals, the newest first. */
  readonly documents: readonly Candidate[];
  /** Whether there are no others. */
  readonly areAll: boolean;
}

/**
 * Reads the lists of the index from the heaviest down, up to a number of entries, and adds up what each document in scope gains.
 */
export async function gather(
  rows: Rows,
  scope: Scope,
  lists: Lists,
  way: number,
  rarities: readonly number[],
  { all, reading, max }: Gathering,
): Promise<Gathered> {
  const { chosen, areAll } = chosenLists(lists, way, rarities, reading);
  const [first] = chosen;
  if (!first) return { documents: [], areAll };
  const arms = scope.isListed ? LISTED_ARMS_MAX : ARMS_MAX;
  const merged = mergedLists(chosen, all === null ? arms : Math.min(arms, armsTogether(lists)));
  const parameters = new Parameters();
  const conditions = [scope.conditionInLists(parameters)];
  // If a list is longer than what may be read, only its newest documents are read.
  const most = lists.slots === 1 ? Math.min(reading.entries, reading.enough * 2) : reading.entries;
  const share = most / first.entries;
  if ((first.entries - most) * IDS_A_ROW > scope.upTo * share && !scope.isListed) {
    conditions.push(`e.id > ${parameters.add(Math.floor(scope.upTo * (1 - share)), "int")}`);
  }
  const found = foundSelected(lists, merged, all, conditions, parameters);
  const documents = await candidatesIn(
    rows,
    `SELECT id, length, day FROM (${found}) s
     GROUP BY id, length, day ORDER BY sum(gain) DESC, id DESC LIMIT ${parameters.add(max, "int")}`,
    parameters.values,
  );
  return { documents, areAll: areAll && documents.length < max };
}

/**
 * Returns what documents in scope gain by lists of documents that also have one of some tokens: the `max` that gain most, by id.
 *
 * @param since tokens of epochs, and how many documents may have been written in them
 * @returns `null` if more were written; no list was read then
 */
export async function gainsAmong(
  rows: Rows,
  scope: Scope,
  lists: Lists,
  chosen: readonly List[],
  since: { readonly epochs: readonly number[]; readonly documents: number },
  max: number,
): Promise<ReadonlyMap<number, number> | null> {
  const parameters = new Parameters();
  const merged = mergedLists(chosen, ARMS_MAX);
  const few = parameters.add(since.documents, "int");
  const written = `SELECT 1 FROM entries e WHERE e.instance_id = $1 AND e.tokens && ${parameters.add(numberList(since.epochs), "int[]")}`;
  const entries = chosen.reduce((sum, one) => sum + one.entries, 0);
  const toCheck = scope.conditionForFew(entries, parameters);
  const conditions = [toCheck ?? scope.conditionInLists(parameters), "(SELECT f.is_few FROM few f)"];
  const found = foundSelected(lists, merged, null, conditions, parameters);
  const most = toCheck === null ? max : Math.max(max, FEW_ENTRIES);
  const [row] = await rows.all<{ isFew: boolean; ids: string | null; gains: string; classes: string }>(
    `WITH few AS MATERIALIZED (SELECT count(*) <= ${few} AS is_few FROM (${written} LIMIT ${few} + 1) s)
     SELECT (SELECT f.is_few FROM few f) AS "isFew", array_agg(n.id) AS ids, array_agg(n.gain) AS gains, array_agg(n.class) AS classes FROM (
       SELECT id, class, sum(gain)::float4 AS gain FROM (${found}) s GROUP BY id, class
       ORDER BY 3 DESC, id DESC LIMIT ${parameters.add(most, "int")}) n`,
    ...parameters.values,
  );
  if (row?.isFew === false) return null;
  const gains = row ? numbersIn(row.gains ?? "{}") : [];
  const classes = numbersIn(row?.classes ?? "{}");
  return new Map(
    numbersIn(row?.ids ?? "{}").flatMap((id, at) =>
      holdsClass(scope.held, classes[at] ?? 0) ? [[id, gains[at] ?? 0]] : [],
    ),
  );
}

/** Selects what documents gain by each list. */
function foundSelected(
  lists: Lists,
  merged: readonly List[],
  all: Question | null,
  conditions: readonly string[],
  parameters: Parameters,
): string {
  const { condition, othersOf } = all === null ? ALONE : othersCondition(lists, all, parameters);
  const slots = parameters.add(numberList(merged.map(({ slot }) => slot)), "int[]");
  const gains = parameters.add(numberList(merged.map(({ gain }) => gain)), "float8[]");
  const tokens = parameters.add(textList(merged.map((list) => numberList(list.tokens))), "text[]");
  const others = parameters.add(textList(merged.map(({ slot }) => numberList(othersOf(slot)))), "text[]");
  const isAmong = merged.some(({ among }) => among !== undefined);
  const among = isAmong
    ? parameters.add(textList(merged.map((list) => numberList(list.among ?? list.tokens))), "text[]")
    : others;
  // The lists are values, so that one plan reads all of them: planning an arm of a UNION for each took longer than reading them.
  const found = `SELECT e.id, e.length, e.day, e.class, l.slot, l.gain
    FROM unnest(${slots}, ${gains}, ${tokens}, ${others}, ${among}) AS l (slot, gain, tokens, others, among)
    CROSS JOIN LATERAL (
      SELECT e.id, e.length, e.day, e.class FROM entries e
      WHERE e.tokens && l.tokens::int[] ${isAmong ? "AND e.tokens && l.among::int[]" : ""} ${condition} AND ${conditions.join(" AND ")} OFFSET 0) e`;
  // A document counts once for several completions of a word. Forms of a word are few, and a document with two of them does score
  // higher.
  const bySlot = `SELECT id, length, day, class, max(gain) AS gain FROM (${found}) f GROUP BY id, length, day, class, slot`;
  return lists.hasAlternatives(COMPLETED) ? bySlot : found;
}

/**
 * To find the newest documents of a list, the ids of all documents that are as new are read. Reading this many ids costs as much
 * as reading one row of the index.
 */
const IDS_A_ROW = 20;

export function chosenLists(
  lists: Lists,
  way: number,
  rarities: readonly number[],
  { entries, enough }: Reading,
): { readonly chosen: readonly List[]; readonly areAll: boolean } {
  const all = rarities.flatMap((rarity, slot) =>
    Array.from({ length: LEVELS }, (_, level): List => {
      return { slot, gain: rarity * shareOf(level), ...lists.level(slot, way, level) };
    }).filter((list) => list.entries > 0),
  );
  const chosen: List[] = [];
  let read = 0;
  for (const list of all.sort((one, other) => other.gain - one.gain)) {
    // One list is always read.
    if (chosen.length > 0 && read + list.entries > entries) break;
    chosen.push(list);
    read += list.entries;
    if (lists.slots === 1 && read >= enough) break;
  }
  return { chosen, areAll: chosen.length === all.length && read <= entries };
}

/** The most lists that one statement reads, and the most if it also reads lists of principals. */
const ARMS_MAX = 24;
const LISTED_ARMS_MAX = 2;

/** The most entries of words that one statement compares with lists of other words. */
const COMPARED_MAX = 800_000;

/**
 * Returns how many lists to read for documents with all words. Each list is compared with all documents of the other words, so
 * there should be few lists if these words are common.
 */
function armsTogether(lists: Lists): number {
  return Math.min(ARMS_MAX, Math.max(lists.slots, Math.floor(COMPARED_MAX / Math.max(compared(lists), 1))));
}

/** Returns how many entries one list is compared with. */
function compared(lists: Lists): number {
  return Array.from({ length: lists.slots }, (_, slot) => lists.entries(slot, COMPLETED)).reduce(
    (sum, one) => sum + one,
    0,
  );
}

/** Checks whether lists can tell at a limited cost which documents have all words. */
export function isComparable(lists: Lists): boolean {
  return lists.slots === 1 || compared(lists) * lists.slots <= COMPARED_MAX;
}

/** Reads neighbouring lists of a word as one, if there are more lists than may be read. */
function mergedLists(lists: readonly List[], max: number): readonly List[] {
  if (lists.length <= max) return lists;
  const bySlot = [...Map.groupBy(lists, ({ slot }) => slot).values()];
  const size = Math.ceil(lists.length / Math.max(1, max - bySlot.length + 1));
  return bySlot.flatMap((of) =>
    Array.from({ length: Math.ceil(of.length / size) }, (_, at) => {
      const part = of.slice(at * size, (at + 1) * size);
      return {
        slot: part[0]?.slot ?? 0,
        gain: part.reduce((sum, { gain }) => sum + gain, 0) / part.length,
        tokens: part.flatMap(({ tokens }) => tokens),
        entries: part.reduce((sum, one) => sum + one.entries, 0),
        ...(part.some(({ among }) => among !== undefined)
          ? { among: [...new Set(part.flatMap(({ among, tokens }) => among ?? tokens))] }
          : {}),
      };
    }),
  );
}

/**
 * How much of the Durable Object's limits of entries is read for people who see everything, and for people who see almost
 * nothing: an entry costs four times as much here.
 */
const ENTRIES_SHARE = 0.5;
const SPARSE_ENTRIES_SHARE = 0.4;

/**
 * The same for the entries of each word: with several common words, the best documents are found late. Measured with five and
 * with eight words.
 */
const ENTRIES_BY_WORD_SHARE = { few: 0.3, many: 0.7 };
const FEW_WORDS = 5;
const MANY_WORDS = 8;

function entriesByWordShare(slots: number): number {
  const { few, many } = ENTRIES_BY_WORD_SHARE;
  const part = (slots - FEW_WORDS) / (MANY_WORDS - FEW_WORDS);
  return few + (many - few) * Math.min(1, Math.max(0, part));
}

/** Returns how much of the index is read. @param share the share of all documents that is in scope */
export function readingOf(limits: FindLimits, slots: number, share: number, { isListed }: Scope): Reading {
  const usual =
    limits.entries * Math.min(1, ENTRIES_SHARE / Math.sqrt(share)) +
    limits.entriesByWord * entriesByWordShare(slots) * slots;
  const sparse = isListed ? limits.sparseEntries : limits.sparseEntries * SPARSE_ENTRIES_SHARE;
  const entries = share < SPARSE_SHARE ? sparse : isListed ? Math.min(usual / share, sparse) : usual;
  return { entries, enough: limits.weighed / Math.min(1, share) };
}
