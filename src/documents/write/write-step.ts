import { count } from "#documents/counts.ts";
import type { Principal } from "#documents/engine.ts";
import type { StateName } from "#documents/index-rules.ts";
import { moveState, stateOf, type Store } from "#documents/store.ts";
import { LEARNING_WORK } from "#documents/work.ts";
import { writeBlocks } from "./doc-values.ts";
import { type CommonWords, commonWordsOf, type ImpactBitmapBlock, writeImpactBitmaps } from "./impact-bitmaps.ts";
import { learnOrLeave } from "./vocabulary.ts";

/** Classes of lists that were resolved before the step. */
export type ResolvedClasses = ReadonlyMap<readonly Principal[], number>;

/**
 * What the documents of one step share: time for new words, the classes of long lists of principals, and everything that would
 * otherwise be written again for each document. {@link writeInStep} writes it once, in the transaction of the step.
 */
export class WriteStep {
  /** What may still be spent on new words. */
  learning: number = LEARNING_WORK;
  /** What indexing and describing its documents has taken so far, in microseconds. */
  work = 0;
  readonly classes: ResolvedClasses;
  /** The words of the step's documents, in order of first use. */
  readonly words = new Set<string>();
  /** Changed blocks of doc values and of impact bitmaps. */
  readonly docValues = new Map<number, Uint8Array<ArrayBuffer>>();
  readonly bitmaps = new Map<string, ImpactBitmapBlock>();
  readonly #store: Store;
  #commonWords: readonly CommonWords[] | undefined;
  readonly #stored = new Map<StateName, number>();
  readonly #moved = new Map<StateName, number>();
  readonly #counts = { documents: new Map<string, number>(), removed: new Map<string, number>() };

  constructor(store: Store, classes: ResolvedClasses = new Map()) {
    this.#store = store;
    this.classes = classes;
  }

  get commonWords(): readonly CommonWords[] {
    return (this.#commonWords ??= commonWordsOf(this.#store));
  }

  /** Returns a stored number with what the step has added to it. */
  stateOf(name: StateName): number {
    const stored = this.#stored.get(name) ?? stateOf(this.#store, name);
    this.#stored.set(name, stored);
    return stored + (this.#moved.get(name) ?? 0);
  }

  /** Adds to a stored number. */
  moveState(name: StateName, by: number): void {
    this.#moved.set(name, (this.#moved.get(name) ?? 0) + by);
  }

  /** Adds to the counts of documents and of the words in them. */
  moveTotals(documents: number, length: number): void {
    this.moveState("documents", documents);
    this.moveState("length", length);
  }

  /** Adds to the number of documents that a datasource has, or that can be brought back. */
  count(datasource: string, counted: "documents" | "removed", change: number): void {
    const counts = this.#counts[counted];
    counts.set(datasource, (counts.get(datasource) ?? 0) + change);
  }

  /** Writes what the step has gathered. */
  end(): void {
    const store = this.#store;
    learnOrLeave(store, [...this.words], this);
    if (this.docValues.size > 0) {
      const version = this.stateOf("doc values") + 1;
      writeBlocks(store, this.docValues, version);
      writeImpactBitmaps(store, this.bitmaps.values(), version);
      this.moveState("doc values", 1);
    }
    for (const [name, by] of this.#moved) if (by !== 0) moveState(store, name, by);
    for (const counted of ["documents", "removed"] as const) {
      for (const [datasource, change] of this.#counts[counted]) count(store, datasource, counted, change);
    }
  }
}

/** Runs a step, inside the caller's transaction, and writes what it has gathered. */
export function writeInStep<Result>(store: Store, act: (step: WriteStep) => Result, classes?: ResolvedClasses): Result {
  const step = new WriteStep(store, classes);
  const result = act(step);
  step.end();
  return result;
}
