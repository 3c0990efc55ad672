/** The most instances that one run looks at, and the most steps in all: a run ends before the next one is due. */
const INSTANCES_A_RUN = 100;
const STEPS_A_RUN = 500;
const STEPS_AN_INSTANCE = 50;

/** Finds instances whose clean-up is due, longest overdue first. */
export interface DueInstances {
  instancesDue(now: number, max: number): Promise<readonly number[]>;
}

/** The part of an engine that cleans up one instance. */
export interface Upkeep {
  /** @returns whether there is more to do now */
  upkeep(instanceId: number): Promise<boolean>;
  noteUpkeepFailed(instanceId: number): Promise<void>;
}

/**
 * Cleans up the instances that are due, in steps of one transaction each. An instance that fails, or has much to do, delays
 * others by at most one run.
 *
 * @param now epoch seconds
 */
export async function cleanUp(
  due: DueInstances,
  engine: Upkeep,
  now: number,
  failed: (instanceId: number, cause: unknown) => void,
): Promise<void> {
  let left = STEPS_A_RUN;
  for (const instanceId of await due.instancesDue(now, INSTANCES_A_RUN)) {
    try {
      for (let steps = 0; steps < STEPS_AN_INSTANCE && left > 0; steps += 1, left -= 1) {
        if (!(await engine.upkeep(instanceId))) break;
      }
    } catch (cause) {
      failed(instanceId, cause);
      await engine.noteUpkeepFailed(instanceId);
    }
  }
}
