import type { Admission } from "./admission.ts";
import type { SlotWords } from "./forms.ts";
import type { FindLimits } from "./limits.ts";
import type { Lists } from "./lists.ts";
import type { Marks } from "./marks.ts";
import { anyWordOf } from "./phrases.ts";
import { rowsFrom } from "./row-bits.ts";
import { wordsOf } from "./tally.ts";

/** The newest admitted documents with a word. */
export interface Sample {
  readonly rows: readonly number[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
  /** How many there are: exact if complete or by marks, otherwise estimated from how close together they are. */
  readonly holding: number;
  /** About how many entries all lists of the word have. Only the time that a search takes may depend on it. */
  readonly entries: number;
}

/** Returns a function that samples the admitted documents which contain a slot's word in a way, when first asked. */
export function samplesOf(
  lists: Lists,
  marks: Marks,
  words: readonly SlotWords[],
  admission: Admission,
  limits: FindLimits,
): (slot: number, way: number) => Sample {
  const sampled = new Map<string, Sample>();
  const glance = Math.min(limits.sample, Math.ceil(limits.glances / words.length));
  return (slot, way) => {
    const alternatives = wordsOf(words[slot], way);
    const expression = anyWordOf(alternatives);
    const known =
      sampled.get(expression) ??
      sampleByMarks(marks, alternatives, admission, limits.sample) ??
      sample(lists, expression, admission, glance, limits.sample);
    sampled.set(expression, known);
    return known;
  };
}

/** Samples documents. @param max if there are fewer, all are read; otherwise, a glance is enough */
function sample(lists: Lists, expression: string, admission: Admission, glance: number, max: number): Sample {
  // With one more, it is known whether there are others.
  const read = (most: number) => lists.newest("places", expression, admission, { max: most + 1 });
  let most = glance;
  let rows = read(most);
  if (rows.length > most && most < max && holdingOf(rows, admission) < max * 2) {
    most = max;
    rows = read(most);
  }
  const isComplete = rows.length <= most;
  return {
    rows: isComplete ? rows : rows.slice(0, most),
    isComplete,
    holding: isComplete ? rows.length : holdingOf(rows, admission),
    entries: lists.entriesOf("places", expression, admission),
  };
}

/** Estimates how many admitted documents there are like the newest ones. */
function holdingOf(rows: readonly number[], { bits, count }: Admission): number {
  return (rows.length * count) / Math.max(rowsFrom(bits, rows.at(-1) ?? 0), 1);
}

/** Does the same for common words, with exact counts; `null`: not all of them are common. */
function sampleByMarks(marks: Marks, words: readonly string[], admission: Admission, max: number): Sample | null {
  const slots = words.map((word) => marks.slotOf(word));
  if (!slots.every((slot) => slot !== undefined)) return null;
  const { all, counting, rows } = marks.holding(slots, admission, max);
  return { rows, isComplete: counting <= max, entries: all, holding: counting };
}
