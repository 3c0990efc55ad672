import type { FindLimits } from "#documents/find/limits.ts";
import { COMPLETED } from "#documents/find/tally.ts";
import { numberList, numbersIn, type Rows } from "#documents-postgres/database.ts";
import type { DocumentSet } from "./document-set.ts";
import type { Candidate } from "./found.ts";
import { Gains, type Promising } from "./gains.ts";
import { chosenLists, gainsAmong, gather, type Gathered, type Gathering, type List } from "./gather.ts";
import type { Together } from "./holders.ts";
import type { Lists } from "./lists.ts";
import { type Arm, chosenArms, entriesMax, type Part, readParts } from "./postings.ts";
import { holdsClass, type Scope } from "./scope.ts";

/**
 * Does the same as {@link gather}, but reads postings for words that have them. Postings only tell which documents may be worth
 * scoring: their rows tell whether they are in scope, and those that were written since come from the index.
 *
 * @param share the share of all documents that is in scope
 */
export async function gatherLikely(
  rows: Rows,
  scope: Scope,
  lists: Lists,
  way: number,
  rarities: readonly number[],
  gathering: Gathering,
  limits: FindLimits,
  share: number,
): Promise<Gathered> {
  const { all, reading, max } = gathering;
  const byIndex = () => gather(rows, scope, lists, way, rarities, gathering);
  const isAny = all === null || (lists.slots === 1 && all.phrases.length === 0 && all.unwanted.length === 0);
  if (!isAny || scope.isFiltered) return byIndex();
  const arms = chosenArms(lists, way, rarities, reading.enough, entriesMax(limits, lists.slots, share));
  const posted = arms.filter(({ word }) => word.unposted !== null);
  const size = (of: readonly Arm[]) => of.reduce((sum, { entries }) => sum + entries, 0);
  if (size(posted) * 2 < size(arms)) return byIndex();
  // Only the index tells whether there are no others.
  if (all !== null && chosenLists(lists, way, rarities, reading).areAll) return byIndex();
  const indexed = arms.flatMap(({ word, level, slot, gain, entries }): List[] => {
    const tokens = [word.tokenAt(level)];
    return word.unposted?.length === 0 ? [] : [{ slot, gain, tokens, entries, among: word.unposted ?? tokens }];
  });
  const epochs = new Set(posted.flatMap(({ word }) => word.unposted ?? []));
  const written = { epochs: [...epochs], documents: lists.unpostedMax };
  const [parts, since] = await Promise.all([
    readParts(rows, posted),
    indexed.length === 0 ? new Map<number, number>() : gainsAmong(rows, scope, lists, indexed, written, max),
  ]);
  // However much was written since, a search reads no more of it than it would without postings.
  if (since === null) return byIndex();
  addUp(posted, parts, scope, null, since);
  return { documents: await greatest(rows, scope, max, lists.slots), areAll: false };
}

/**
 * Returns the documents that have all words, according to holders: all of them if they are few, otherwise those that gain most by
 * postings. Their rows tell whether they are in scope.
 */
export async function gatherTogether(
  rows: Rows,
  scope: Scope,
  lists: Lists,
  rarities: readonly number[],
  { likely, since, isComplete }: Together,
  limits: FindLimits,
  share: number,
): Promise<Gathered> {
  const { size } = likely;
  const max = limits.weighed;
  const join = (found: readonly Candidate[]) => [...new Map([...since, ...found].map((one) => [one.id, one])).values()];
  if (size <= max) {
    const visible = size === 0 ? [] : [...(await visibleAmong(rows, scope, likely.ids())).values()];
    const documents = join(visible).sort((one, other) => other.id - one.id);
    return { documents, areAll: isComplete };
  }
  const budget = entriesMax(limits, lists.slots, share);
  const arms = chosenArms(lists, COMPLETED, rarities, Number.POSITIVE_INFINITY, budget);
  const posted = arms.filter(({ word }) => word.unposted !== null);
  addUp(posted, await readParts(rows, posted), scope, likely, new Map());
  return { documents: join(await greatest(rows, scope, max, 0)), areAll: false };
}

/**
 * Adds up what documents gain if the person holds their class.
 *
 * @param among only these documents; `null`: all of them
 */
function addUp(
  arms: readonly Arm[],
  parts: readonly Part[],
  scope: Scope,
  among: DocumentSet | null,
  since: ReadonlyMap<number, number>,
): void {
  gains.reset(parts.reduce((sum, { entries }) => sum + entries.length / 2, since.size));
  for (const { arm, entries } of parts) {
    const { slot, gain } = arms[arm] as Arm;
    for (let at = 0; at < entries.length; at += 2) {
      const id = entries[at] ?? 0;
      if (among !== null && !among.has(id)) continue;
      if (id <= scope.upTo && holdsClass(scope.held, entries[at + 1] ?? 0)) gains.add(id, slot, gain);
    }
  }
  for (const [id, gain] of since) gains.addSum(id, gain);
}

/**
 * Returns the `max` documents in scope that gain most; among equals, the newest first.
 *
 * @param slots the number of slots of which at least one document each is returned: a word without any is looked up again,
 *   because it may be misspelt
 */
async function greatest(rows: Rows, scope: Scope, max: number, slots: number): Promise<readonly Candidate[]> {
  const likely = gains
    .greatest(Math.ceil(max * SPARE))
    .sort((one, other) => other.gain - one.gain || other.id - one.id);
  if (likely.length === 0) return [];
  const others = gains.heaviestOfOthers(likely, slots);
  const visible = await visibleAmong(
    rows,
    scope,
    [...likely, ...others].map(({ id }) => id),
  );
  const countingOf = (documents: readonly Promising[]) => documents.flatMap(({ id }) => visible.get(id) ?? []);
  return [...countingOf(likely).slice(0, max), ...countingOf(others)];
}

/** Shared by all searches: no search awaits anything while it uses this. */
const gains = new Gains();

/** How many times as many documents are looked up as needed: some may be gone, or no longer permitted. */
const SPARE = 1.1;

/** The rows that were read of documents, by scope; `null`: not in scope. A scope belongs to one search, and so to one snapshot. */
const told = new WeakMap<Scope, Map<number, Candidate | null>>();

/** Returns those of the documents that are in scope, according to their own rows. */
export async function visibleAmong(
  rows: Rows,
  scope: Scope,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Candidate>> {
  const known = told.get(scope) ?? new Map<number, Candidate | null>();
  told.set(scope, known);
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    for (const id of unknown) known.set(id, null);
    for (const one of await readVisible(rows, scope, unknown)) known.set(one.id, one);
  }
  return new Map(ids.flatMap((id) => (known.get(id) ? [[id, known.get(id) as Candidate]] : [])));
}

async function readVisible(rows: Rows, { held, upTo }: Scope, ids: readonly number[]): Promise<readonly Candidate[]> {
  const [row] = await rows.byKey<Record<"ids" | "lengths" | "days" | "classes", string | null>>(
    `SELECT array_agg(e.id) AS ids, array_agg(e.length) AS lengths, array_agg(e.day) AS days, array_agg(e.class) AS classes
     FROM entries e WHERE e.instance_id = $1 AND e.id = ANY ($2::int[])`,
    numberList(ids),
  );
  const [found = [], lengths, days, classes] = [row?.ids, row?.lengths, row?.days, row?.classes].map((list) =>
    numbersIn(list ?? "{}"),
  );
  return found.flatMap((id, at): Candidate[] =>
    id <= upTo && holdsClass(held, classes?.[at] ?? 0)
      ? [{ id, length: lengths?.[at] ?? 0, day: days?.[at] ?? 0 }]
      : [],
  );
}
