import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "./isolate.ts";

/** The part of an instance that identifies its documents. */
interface OfInstance {
  readonly id: number;
}

function objectOf({ id }: OfInstance): DurableObjectStub {
  return env.DOCUMENTS.getByName(String(id));
}

/** Returns the rows of a statement on an instance's own database. */
export function rowsIn<Row extends Record<string, SqlStorageValue>>(
  instance: OfInstance,
  statement: string,
  ...values: SqlStorageValue[]
): Promise<Row[]> {
  return runInDurableObject(objectOf(instance), (_object, { storage }) =>
    storage.sql.exec<Row>(statement, ...values).toArray(),
  );
}

/** Runs one step of an instance's alarm. @returns false if no alarm was set */
export function runUpkeepStep(instance: OfInstance): Promise<boolean> {
  return runDurableObjectAlarm(objectOf(instance));
}

/**
 * Checks before it is certain that nothing is left. While the platform runs a step by itself, neither an alarm nor its work shows
 * for a moment.
 */
const LOOKS = 5;
const LOOK_AGAIN_MILLISECONDS = 20;

/**
 * Runs an instance's alarm step by step until nothing is due. The platform may run steps that are due immediately before this
 * does.
 *
 * @returns the number of steps that this ran, which may be fewer than there were
 */
export async function runUpkeep(instance: OfInstance): Promise<number> {
  let steps = 0;
  let looks = 0;
  if (await runUpkeepStep(instance)) steps += 1;
  while (looks < LOOKS) {
    const due = await runInDurableObject(objectOf(instance), (_object, { storage }) => storage.getAlarm());
    if (due !== null && due <= Date.now()) {
      looks = 0;
      if (await runUpkeepStep(instance)) steps += 1;
    } else if (due !== null) {
      return steps;
    } else {
      looks += 1;
      await scheduler.wait(LOOK_AGAIN_MILLISECONDS);
    }
  }
  return steps;
}

/** Puts an instance's documents to sleep, as the platform does. The next request wakes them up. */
export function evictDocuments(instance: OfInstance): Promise<void> {
  return evictDurableObject(objectOf(instance));
}
