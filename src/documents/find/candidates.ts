import { rarityOf } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import type { Admission } from "./admission.ts";
import type { SlotWords } from "./forms.ts";
import { type Gains, gather } from "./gather.ts";
import type { FindLimits } from "./limits.ts";
import { anyWordOf, requiredExpression, togetherExpression } from "./phrases.ts";
import type { Question } from "./question.ts";
import type { Holding } from "./rank.ts";
import { matchingRows } from "./rows.ts";
import { AS_WRITTEN, COMPLETED } from "./tally.ts";

/** The documents that are worth weighing, where there are too many to weigh all. */
export interface Candidates {
  readonly rows: readonly number[];
  readonly holding: Holding;
  /** Documents of which the index told that they hold all words and phrases. */
  readonly together: readonly number[];
  /** Whether every document that holds all words is among the rows. */
  readonly isComplete: boolean;
  /** Entries of the index that finding all of those would read, about. */
  readonly entries: number;
}

/** The newest documents with a word. */
interface Sample {
  readonly rows: readonly number[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
  /** How many hold it, seen or not, and how many of those that count: known if complete, else told from how densely they stand. */
  readonly entries: number;
  readonly holding: number;
}

export function findCandidates(
  store: Store,
  gains: Gains,
  words: readonly SlotWords[],
  question: Question,
  admission: Admission,
  limits: FindLimits,
): Candidates {
  const sampled = new Map<string, Sample>();
  const sampleOf = (slot: number, way: number): Sample => {
    const expression = anyWordOf(wordsOf(words[slot], way));
    const known = sampled.get(expression) ?? sample(store, expression, admission, limits.sample);
    sampled.set(expression, known);
    return known;
  };
  const samples = words.map((_, slot) => sampleOf(slot, COMPLETED));
  const holding: Holding = (slot, way) => sampleOf(slot, way).holding;
  const entries = samples.reduce((sum, one) => sum + one.entries, 0);
  // Phrases compare places.
  const work = entries * (question.phrases.length > 0 ? 4 : 1);
  const window = { above: Math.floor(admission.upTo * Math.max(0, 1 - limits.togetherEntries / Math.max(work, 1))) };
  const find = (expression: string) =>
    matchingRows(store, "places", expression, { ...window, upTo: admission.upTo, max: limits.together });

  const rarest = samples
    .filter(({ isComplete }) => isComplete)
    .sort((one, other) => one.rows.length - other.rows.length)[0];
  const isAlone = words.length === 1 && question.phrases.length === 0;
  const together = rarest || isAlone ? [] : find(togetherExpression(words, question));
  const isComplete = rarest !== undefined || (!isAlone && window.above === 0 && together.length < limits.together);
  const first = (rarest?.rows ?? together).filter((row) => admission.has(row));
  const full = isAlone ? (samples[0]?.holding ?? 0) : first.length;

  const isFew = full < limits.few;
  const sought = words.map((word, slot) => {
    const way = isFew ? 2 : COMPLETED;
    const { rows, isComplete: hasAll } = sampleOf(slot, way);
    return {
      words: wordsOf(word, way),
      rarity: rarityOf(admission.count, holding(slot, way)),
      rows: hasAll && rows.length <= limits.weighed / 2 ? rows : null,
    };
  });
  const share = admission.count / Math.max(admission.upTo, 1);
  gather(store, gains, sought, admission, {
    entries: share < SPARSE_SHARE ? limits.sparseEntries : limits.entries + limits.entriesByWord * words.length,
    enough: limits.weighed,
  });
  const required = isFew ? requiredExpression(words, question) : null;
  // What was typed to its end comes before what it may be the beginning of.
  const written = words.length === 1 && words[0]?.isUnfinished ? sampleOf(0, AS_WRITTEN).rows : [];
  const before = [...first, ...written, ...(required === null ? [] : find(required))].filter((row) =>
    admission.has(row),
  );
  return {
    rows: best(before, gains, limits.weighed),
    holding,
    together,
    isComplete: isComplete && first.length <= limits.weighed / 2,
    entries: work,
  };
}

/** Whoever sees fewer documents reads more entries for as many of them. */
const SPARSE_SHARE = 0.02;

function wordsOf(word: SlotWords | undefined, way: number): string[] {
  if (!word) return [];
  if (way === AS_WRITTEN) return [word.word];
  if (way === COMPLETED) return [word.word, ...word.completions];
  return [...new Set([word.word, ...word.completions, ...word.forms])];
}

function sample(store: Store, expression: string, admission: Admission, max: number): Sample {
  const rows = matchingRows(store, "places", expression, { upTo: admission.upTo, max });
  const seen = rows.reduce((count, row) => (admission.has(row) ? count + 1 : count), 0);
  const isComplete = rows.length < max;
  const walked = admission.upTo - (rows.at(-1) ?? 0) + 1;
  const scale = isComplete ? 1 : admission.upTo / walked;
  return { rows, isComplete, entries: rows.length * scale, holding: seen * scale };
}

/**
 * What gains most, and of equals the newest. Half of them hold all words, as far as there are so many: what was read of these says
 * too little, where words are common, and so does what was read of the others, which may hold all words, too.
 */
function best(likely: readonly number[], gains: Gains, max: number): number[] {
  const byGain = (one: number, other: number) => gains.of(other) - gains.of(one) || other - one;
  const certain = [...new Set(likely)].sort(byGain);
  const chosen = new Set(certain.slice(0, max / 2));
  for (const row of [...gains.met].sort(byGain)) {
    if (chosen.size >= max) break;
    chosen.add(row);
  }
  for (const row of certain) {
    if (chosen.size >= max) break;
    chosen.add(row);
  }
  return [...chosen].sort(byGain);
}
