import type { TimeRange } from "#documents/engine.ts";
import { CELL, dayOfSeconds } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import type { Cells } from "./cells.ts";
import type { FindLimits } from "./limits.ts";
import type { Filter, Question } from "./question.ts";
import { matchingRows } from "./rows.ts";

/** Which documents a search may find at all: those that the person may see, that its filters leave, and that there were. */
export interface Admission {
  /** The newest row that counts. */
  readonly upTo: number;
  has(row: number): boolean;
  /** All of them, newest first, where they are at most as many as are weighed exactly; `null`: there are more. */
  readonly rows: readonly number[] | null;
  /** How many there are, or at least so many where filters leave few of the index. */
  readonly count: number;
  /** Words in one of them, on average. */
  readonly averageLength: number;
}

/**
 * @param classes which classes of permissions the person holds
 * @param updated whole days
 */
export function admit(
  store: Store,
  cells: Cells,
  classes: Uint8Array,
  {
    question,
    updated,
    upTo,
  }: { readonly question: Question; readonly updated: TimeRange | null; readonly upTo: number },
  limits: FindLimits,
): Admission {
  const { numbers } = cells;
  const kinds = kindsOf(question.filters);
  const lists = question.filters.filter((filter) => "expression" in filter);
  const marks = lists.length === 0 ? null : new Uint32Array(upTo + 1);
  let wanted = 0;
  let shortest: readonly number[] | null = null;
  for (const [at, { expression, isUnwanted }] of lists.entries()) {
    const rows = expression === null ? [] : matchingRows(store, "levels", expression, { upTo, max: limits.filterRows });
    // Bits of filters that have to hold, and one for all that must not.
    const bit = isUnwanted ? UNWANTED : 1 << at;
    for (const row of rows) if (marks) marks[row] = (marks[row] ?? 0) | bit;
    if (isUnwanted) continue;
    wanted |= bit;
    if (shortest === null || rows.length < shortest.length) shortest = rows;
  }
  const from = updated === null ? 0 : Math.max(dayOfSeconds(updated.from ?? 0), 1);
  const until = updated?.until == null ? Number.POSITIVE_INFINITY : dayOfSeconds(updated.until);
  const has = (row: number): boolean => {
    const at = row * CELL.size;
    if (row > upTo || classes[numbers[at] ?? 0] !== 1) return false;
    if (kinds !== null && !kinds(numbers[at + CELL.kind] ?? 0)) return false;
    if (marks !== null && (marks[row] ?? 0) !== wanted) return false;
    const day = numbers[at + CELL.day] ?? 0;
    return updated === null || (day >= from && day < until);
  };
  const isPlain = kinds === null && marks === null && updated === null;
  const known = isPlain ? summaries.get(classes) : undefined;
  if (known?.version === cells.version && known.upTo === upTo) return { upTo, has, ...known.summary };
  const summary = summarize(cells, has, shortest, upTo, limits.narrow);
  if (isPlain) summaries.set(classes, { version: cells.version, upTo, summary });
  return { upTo, has, ...summary };
}

const UNWANTED = 1 << 31;

type Summary = Pick<Admission, "rows" | "count" | "averageLength">;

/** What people may see without filters, until something is written. */
const summaries = new WeakMap<Uint8Array, { version: number; upTo: number; summary: Summary }>();

function summarize(
  cells: Cells,
  has: (row: number) => boolean,
  shortest: readonly number[] | null,
  upTo: number,
  narrow: number,
): Summary {
  const rows: number[] = [];
  let count = 0;
  let length = 0;
  const see = (row: number) => {
    if (!has(row)) return;
    count++;
    length += cells.lengthOf(row);
    if (count <= narrow) rows.push(row);
  };
  if (shortest === null) for (let row = upTo; row > 0; row--) see(row);
  else for (const row of shortest) see(row);
  return { rows: count <= narrow ? rows : null, count, averageLength: count === 0 ? 1 : length / count };
}

/** Whether a kind passes all filters by kind; `null`: every one does. */
function kindsOf(filters: readonly Filter[]): ((kind: number) => boolean) | null {
  const sets = filters
    .filter((filter) => "kinds" in filter)
    .map(({ kinds, isUnwanted }) => ({ kinds: new Set(kinds), isUnwanted }));
  if (sets.length === 0) return null;
  const known = new Map<number, boolean>();
  return (kind) => {
    const before = known.get(kind);
    if (before !== undefined) return before;
    const passes = sets.every(({ kinds, isUnwanted }) => kinds.has(kind) !== isUnwanted);
    known.set(kind, passes);
    return passes;
  };
}
