import type { Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import type { Cells } from "./cells.ts";
import { Forward } from "./forward.ts";
import type { FindLimits } from "./limits.ts";
import type { Lists } from "./lists.ts";
import { newestRow } from "./row-bits.ts";
import { PhraseCheck, storedTexts } from "./phrases.ts";
import type { Question } from "./question.ts";
import { tally } from "./tally.ts";

/** Documents that match and weren't scored: newest first, as far back as anybody turns pages. */
export interface Others {
  /** The index expression that finds them; `null`: all that the filters leave. */
  readonly expression: string | null;
  /** How many rows are read at a time. */
  readonly span: number;
}

/**
 * Returns the next of the others. There may be fewer than were asked for, even if more follow, if many have unwanted words.
 *
 * @returns `before`: where the next ones are; 1: there are none
 */
export function othersBefore(
  store: Store,
  lists: Lists,
  cells: Cells,
  question: Question,
  { expression, span }: Others,
  {
    admission,
    known,
    before,
    max,
    limits,
  }: {
    readonly admission: Admission;
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
      if (admission.has(next)) candidates.push(next);
    }
    next = newestRow(admission.bits, next) + 1;
  } else {
    const counting = { bits: admission.bits, upTo: before - 1 };
    const found = lists.newest("places", expression, counting, { max: max + known.size + 1, span });
    // There are no others unless one more than a page was found.
    next = 1;
    candidates.push(...found.filter((row) => !known.has(row)));
  }
  const left = allowed(store, cells, question, candidates, expression !== null, limits);
  // A cursor to an empty page would reveal that there are documents the person can't see.
  if (left.length > max) return { rows: left.slice(0, max), before: left[max - 1] ?? next };
  return { rows: left, before: next };
}

/** Removes documents with unwanted words. If an expression found the documents, it has already excluded these. */
function allowed(
  store: Store,
  cells: Cells,
  question: Question,
  rows: readonly number[],
  isSeenTo: boolean,
  limits: FindLimits,
): readonly number[] {
  if (isSeenTo || question.unwanted.length === 0) return rows;
  const unwanted = question.unwanted.filter((words) => words.length === 1).flat();
  const phrases = new PhraseCheck(question, limits, (row) => cells.lengthOf(row), storedTexts(store));
  const left = tally(new Forward(store, cells), rows, [], unwanted, limits.weighedBytes).rows;
  phrases.expect(left.map((row) => ({ row, mayHaveAll: true })));
  return left.filter((row) => phrases.verdict(row, true) !== null);
}
