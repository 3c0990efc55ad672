import { applyChanges } from "./apply.ts";
import { batchesOf } from "./batches.ts";
import type { ChangeOutcome, DocumentChange, Principal } from "./engine.ts";
import type { GroupValues, ValuesOutcome } from "./metadata/metadata.ts";
import { putGroupValues } from "./metadata/values.ts";
import { othersServed } from "./others-served.ts";
import { partsOf, workOfChange, workOfItem } from "./steps.ts";
import type { Store } from "./store.ts";
import { removeNext } from "./uploads/removal.ts";
import { progressOf, takePage } from "./uploads/take-page.ts";
import { decide } from "./uploads/stale.ts";
import {
  nothingTaken,
  type RemovalDecision,
  type PagePart,
  type PartProgress,
  type UploadProgress,
  type UploadTarget,
} from "./uploads/uploads.ts";
import { STEP_WORK } from "./work.ts";
import type { ResolvedClasses } from "./write/write-step.ts";
import type { Refused } from "./refused.ts";

/** How an object does what a call asks for. Between two steps, it serves others. */
export interface Steps {
  /**
   * Runs one step in a transaction.
   *
   * @param lists the principals that its documents name
   */
  run<Result>(act: StepAct<Result>, lists?: readonly (readonly Principal[])[]): Promise<Result>;
  /** Has the alarm finish a removal that the call doesn't. */
  leaveToAlarm(): Promise<void>;
  /** The most that one step does, in microseconds of CPU. */
  readonly work: number;
  /** After this, a call returns how far it got, and its caller asks for the rest. */
  readonly milliseconds: number;
}

export type StepAct<Result> = (store: Store, now: number, classes?: ResolvedClasses) => Result;

/**
 * Callers wait for five seconds, also where the other shards are called after the first one. A page takes so long only if it is very
 * large, or if the object is busy with others.
 */
export const USUAL_STEPS = { work: STEP_WORK, milliseconds: 2000 } as const;

/** The removal steps of the call with the last page. The alarm does the rest. */
const REMOVALS_A_CALL = 10;

/** Applies changes. Each step takes effect by itself. @returns the outcomes of those that were applied: at least one */
export async function applyInSteps(changes: readonly DocumentChange[], steps: Steps): Promise<ChangeOutcome[]> {
  const outcomes: ChangeOutcome[] = [];
  const end = Date.now() + steps.milliseconds;
  for await (const batch of inTime(batchesOf(changes, workOfChange, steps.work), end)) {
    const applied = await steps.run(
      (store, now, classes) => applyChanges(store, batch, now, classes),
      batch.map((change) =>
        change.act === "put" ? change.document.principals : change.act === "permit" ? change.principals : [],
      ),
    );
    outcomes.push(...applied);
  }
  return outcomes;
}

/** Puts values on documents, as {@link applyInSteps} applies changes. */
export async function putInSteps({ group, documents }: GroupValues, steps: Steps): Promise<ValuesOutcome[]> {
  const outcomes: ValuesOutcome[] = [];
  const end = Date.now() + steps.milliseconds;
  function* rests() {
    while (outcomes.length < documents.length) yield documents.slice(outcomes.length);
  }
  for await (const rest of inTime(rests(), end)) {
    const values = { group, documents: rest };
    outcomes.push(...(await steps.run((store) => putGroupValues(store, values, steps.work / 2))));
  }
  return outcomes;
}

/** Takes a part of a page, or its first items if there is no time for all. After the last page, it removes what the upload lacked. */
export async function takeInSteps(part: PagePart, steps: Steps): Promise<PartProgress | Refused> {
  let taken: PartProgress = { ...nothingTaken(part.uploadId), generation: 0, taken: 0 };
  const end = Date.now() + steps.milliseconds;
  for await (const step of inTime(partsOf(part, workOfItem, steps.work), end)) {
    const { items } = step;
    const lists = items.map((item) => (item.kind === "documents" ? item.document.principals : []));
    const progress = await steps.run(
      (store, now, classes) => takePage(store, { ...part, ...step }, now, classes),
      lists,
    );
    if ("refused" in progress) return progress;
    taken = { ...progress, taken: taken.taken + items.length };
  }
  if (taken.taken < part.items.length) return taken;
  return { ...taken, ...(await removeInSteps(taken, part, steps, end)) };
}

/** Decides about a removal that is held, and begins with it. @returns `null` if nothing is held */
export async function decideInSteps(
  { target, removes }: RemovalDecision,
  steps: Steps,
): Promise<UploadProgress | null> {
  const end = Date.now() + steps.milliseconds;
  const decided = await steps.run((store, now) =>
    decide(store, target, removes, now) ? progressOf(store, target) : null,
  );
  return decided && removeInSteps(decided, target, steps, end);
}

/** Removes what a complete upload lacked, as far as there is time. */
async function removeInSteps(
  progress: UploadProgress,
  target: UploadTarget,
  steps: Steps,
  end: number,
): Promise<UploadProgress> {
  if (progress.status !== "removing") return progress;
  await steps.leaveToAlarm();
  let now = progress;
  for (let left = REMOVALS_A_CALL; left > 0 && now.status === "removing"; left -= 1) {
    await othersServed();
    now = await steps.run((store, at) => {
      removeNext(store, target, at);
      return progressOf(store, target);
    });
    if (Date.now() > end) break;
  }
  return now;
}

/** Gives one step after another until there is no more time. Others are served in between. */
async function* inTime<Step>(all: Iterable<Step>, end: number): AsyncGenerator<Step, undefined> {
  let isFirst = true;
  for (const step of all) {
    if (!isFirst) {
      await othersServed();
      if (Date.now() > end) return;
    }
    isFirst = false;
    yield step;
  }
}
