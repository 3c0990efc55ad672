import type { Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import type { SlotWords } from "./forms.ts";
import type { FindLimits } from "./limits.ts";
import type { Marks } from "./marks.ts";
import { anyWordOf } from "./phrases.ts";
import { matchingRows } from "./rows.ts";
import { wordsOf } from "./tally.ts";

/** The newest documents with a word. */
export interface Sample {
  readonly rows: readonly number[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
  /**
   * How many documents contain it, visible or not, and how many admitted ones: exact if complete, otherwise estimated from how close
   * together they are.
   */
  readonly entries: number;
  readonly holding: number;
}

/** Returns a function that samples the documents which contain a slot's word in a way, when first asked. */
export function samplesOf(
  store: Store,
  marks: Marks,
  words: readonly SlotWords[],
  admission: Admission,
  limits: FindLimits,
): (slot: number, way: number) => Sample {
  const sampled = new Map<string, Sample>();
  const isScarce = shareOf(admission) < SCARCE_SHARE;
  const glance = isScarce ? limits.sample : Math.min(limits.sample, Math.ceil(limits.glances / words.length));
  return (slot, way) => {
    const alternatives = wordsOf(words[slot], way);
    const expression = anyWordOf(alternatives);
    const known =
      sampled.get(expression) ??
      sampleByMarks(marks, alternatives, admission, limits.sample) ??
      sample(store, expression, admission, glance, limits.sample);
    sampled.set(expression, known);
    return known;
  };
}

export function shareOf({ count, upTo }: Admission): number {
  return count / Math.max(upTo, 1);
}

/** A person who sees a smaller share of the documents needs longer samples. */
const SCARCE_SHARE = 0.1;

/** Samples documents. @param max a word with fewer entries is read completely; for others, a glance is enough */
function sample(store: Store, expression: string, admission: Admission, glance: number, max: number): Sample {
  const read = (most: number) => matchingRows(store, "places", expression, { upTo: admission.upTo, max: most });
  const first = read(glance);
  const isShort = first.length === glance && densityOf(first, admission) * admission.upTo < max * 2;
  const rows = isShort && glance < max ? read(max) : first;
  const seen = rows.reduce((count, row) => (admission.has(row) ? count + 1 : count), 0);
  const isComplete = rows.length < (rows === first ? glance : max);
  const scale = isComplete ? 1 : (densityOf(rows, admission) * admission.upTo) / rows.length;
  return { rows, isComplete, entries: rows.length * scale, holding: seen * scale };
}

/** Does the same for common words, with exact counts; `null`: not all of them are common. */
function sampleByMarks(marks: Marks, words: readonly string[], admission: Admission, max: number): Sample | null {
  const slots = words.map((word) => marks.slotOf(word));
  if (!slots.every((slot) => slot !== undefined)) return null;
  const { all, counting, rows } = marks.holding(slots, admission, max);
  return { rows, isComplete: counting <= max, entries: all, holding: counting };
}

/** Returns which share of the newest rows these are. */
function densityOf(rows: readonly number[], { upTo }: Admission): number {
  return rows.length / (upTo - (rows.at(-1) ?? 0) + 1);
}
