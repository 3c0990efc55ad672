import type { Principal } from "#documents/engine.ts";
import { LEARNING_WORK } from "#documents/work.ts";

/** Classes of lists that were resolved before the step. */
export type ResolvedClasses = ReadonlyMap<readonly Principal[], number>;

/** What the documents of one step share: time for new words, and the classes of long lists of principals. */
export class WriteStep {
  /** What may still be spent on new words. */
  learning: number = LEARNING_WORK;
  readonly classes: ResolvedClasses;

  constructor(classes: ResolvedClasses = new Map()) {
    this.classes = classes;
  }
}
