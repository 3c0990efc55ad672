import type { Store } from "#documents/store.ts";
import type { EligibleSet } from "./eligible-set.ts";
import type { DocValues } from "./doc-values.ts";
import { TermVectors } from "./term-vectors.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import type { Postings } from "./postings.ts";
import { newestRow } from "./row-bits.ts";
import { PhraseCheck } from "#documents/find/rank/phrases.ts";
import { storedTexts } from "./stored-texts.ts";
import type { Question } from "#documents/find/query/question.ts";

/** Documents that match and weren't scored: newest first, as far back as anybody turns pages. */
export interface UnscoredTail {
  /** The index expression that finds them; `null`: all that the filters leave. */
  readonly expression: string | null;
  /** How many rows are read at a time. */
  readonly span: number;
}

/**
 * Returns the next documents of the tail. There may be fewer than were asked for, even if more follow, if many have unwanted words.
 *
 * @returns `before`: where the next ones are; 1: there are none
 */
export function tailBefore(
  store: Store,
  postings: Postings,
  docValues: DocValues,
  question: Question,
  { expression, span }: UnscoredTail,
  {
    eligible,
    known,
    before,
    max,
    limits,
  }: {
    readonly eligible: EligibleSet;
    readonly known: ReadonlySet<number>;
    readonly before: number;
    readonly max: number;
    readonly limits: FindLimits;
  },
): { readonly rows: readonly number[]; readonly before: number } {
  if (max === 0) return { rows: [], before };
  const candidates: number[] = [];
  let next = before;
  if (expression === null) {
    for (next = before - 1; next > 0 && candidates.length < max + limits.checked; next--) {
      if (eligible.has(next)) candidates.push(next);
    }
    next = newestRow(eligible.bits, next) + 1;
  } else {
    const counting = { bits: eligible.bits, upTo: before - 1 };
    const found = postings.newest("postings", expression, counting, { max: max + known.size + 1, span });
    // There are no others unless one more than a page was found.
    next = 1;
    candidates.push(...found.filter((row) => !known.has(row)));
  }
  const left = allowed(store, docValues, question, candidates, expression !== null, limits);
  // A cursor to an empty page would reveal that there are documents the person can't see.
  if (left.length > max) return { rows: left.slice(0, max), before: left[max - 1] ?? next };
  return { rows: left, before: next };
}

/** Removes documents with unwanted words. If an expression found the documents, it has already excluded these. */
function allowed(
  store: Store,
  docValues: DocValues,
  question: Question,
  rows: readonly number[],
  isSeenTo: boolean,
  limits: FindLimits,
): readonly number[] {
  if (isSeenTo || question.unwanted.length === 0) return rows;
  const unwanted = question.unwanted.filter((words) => words.length === 1).flat();
  const left = new TermVectors(store, docValues).frequenciesOf(rows, [], unwanted, limits.weighedBytes).rows;
  const lengthOf = (row: number) => docValues.lengthOf(row);
  const phrases = new PhraseCheck(question, limits, lengthOf, (those) => storedTexts(store, those));
  const verdicts = phrases.verdicts(left.map((row) => ({ row, hasAll: true })));
  return left.filter((row) => verdicts.get(row) !== null);
}
