import type { TimeRange } from "#documents/engine.ts";
import { dayOfSeconds, DOC_VALUE } from "#documents/index-rules.ts";
import type { DocValues } from "./doc-values.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import type { Postings } from "./postings.ts";
import { kindsOf, type Question } from "#documents/find/query/question.ts";
import { eachRow, hasRow } from "./row-bits.ts";
import type { VisibleSet } from "./visible-set.ts";

/** The documents that a search may find: those visible to the person, left by the filters, and in its snapshot. */
export interface EligibleSet {
  /** The newest row that is considered. */
  readonly upTo: number;
  /** The eligible documents, one bit each. */
  readonly bits: Uint32Array;
  has(row: number): boolean;
  /** The eligible documents, newest first, if there are few enough to score all of them; `null`: there are more. */
  readonly rows: readonly number[] | null;
  /** How many there are. */
  readonly count: number;
  /** Whether these are all. There may be others if a filter matches more visible documents than it may read. */
  readonly isExact: boolean;
  /** Average number of words in one of them. */
  readonly averageLength: number;
}

/**
 * Works out which documents a search may find.
 *
 * @param visible what the person may see
 * @param updated whole days
 */
export function eligibleSetOf(
  postings: Postings,
  docValues: DocValues,
  visible: VisibleSet,
  {
    question,
    updated,
    upTo,
  }: { readonly question: Question; readonly updated: TimeRange | null; readonly upTo: number },
  limits: FindLimits,
): EligibleSet {
  const isAll = question.filters.length === 0 && updated === null && !hasBeyond(visible.bits, upTo);
  const left = isAll ? null : filtered(postings, docValues, visible, question, updated, upTo, limits);
  const { bits, count, length } = left ?? visible;
  const rows: number[] = [];
  if (count <= limits.narrow) eachRow(bits, (row) => rows.push(row));
  return {
    upTo,
    bits,
    has: (row) => hasRow(bits, row),
    rows: count <= limits.narrow ? rows : null,
    count,
    isExact: left?.isExact ?? true,
    averageLength: count === 0 ? 1 : length / count,
  };
}

function hasBeyond(bits: Uint32Array, upTo: number): boolean {
  const last = upTo >>> 5;
  if (last < bits.length && (bits[last] ?? 0) >>> (upTo & 31) > 1) return true;
  return bits.subarray(last + 1).some((part) => part !== 0);
}

function filtered(
  postings: Postings,
  docValues: DocValues,
  visible: VisibleSet,
  question: Question,
  updated: TimeRange | null,
  upTo: number,
  limits: FindLimits,
): Pick<VisibleSet, "bits" | "count" | "length"> & Pick<EligibleSet, "isExact"> {
  const { numbers } = docValues;
  const kinds = kindsOf(question.filters);
  let isExact = true;
  const left = visible.bits.slice(0, (upTo >>> 5) + 1);
  for (const filter of question.filters) {
    if (!("expression" in filter)) continue;
    const { expression, isUnwanted } = filter;
    const rows =
      expression === null
        ? []
        : postings.newest("impacts", expression, { bits: visible.bits, upTo }, { max: limits.filterRows });
    isExact &&= rows.length < limits.filterRows;
    const held = new Uint32Array(left.length);
    for (const row of rows) held[row >>> 5] = (held[row >>> 5] ?? 0) | (1 << (row & 31));
    for (let part = 0; part < left.length; part++) {
      const having = held[part] ?? 0;
      left[part] = (left[part] ?? 0) & (isUnwanted ? ~having : having);
    }
  }
  const from = updated === null ? 0 : Math.max(dayOfSeconds(updated.from ?? 0), 1);
  const until = updated?.until == null ? Number.POSITIVE_INFINITY : dayOfSeconds(updated.until);
  const bits = new Uint32Array(left.length);
  let count = 0;
  let length = 0;
  eachRow(left, (row) => {
    if (row > upTo) return;
    const at = row * DOC_VALUE.size;
    if (kinds !== null && !kinds(numbers[at + DOC_VALUE.kind] ?? 0)) return;
    const day = numbers[at + DOC_VALUE.day] ?? 0;
    if (updated !== null && (day < from || day >= until)) return;
    bits[row >>> 5] = (bits[row >>> 5] ?? 0) | (1 << (row & 31));
    count++;
    length += numbers[at + DOC_VALUE.length] ?? 0;
  });
  return { bits, count, length, isExact };
}
