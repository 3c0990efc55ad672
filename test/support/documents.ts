import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "./isolate.ts";

/** An instance, as far as its documents are concerned. */
interface OfInstance {
  readonly id: number;
}

function objectOf({ id }: OfInstance): DurableObjectStub {
  return env.DOCUMENTS.getByName(String(id));
}

/** The rows of a statement on an instance's own database. */
export function rowsIn<Row extends Record<string, SqlStorageValue>>(
  instance: OfInstance,
  statement: string,
  ...values: SqlStorageValue[]
): Promise<Row[]> {
  return runInDurableObject(objectOf(instance), (_object, { storage }) =>
    storage.sql.exec<Row>(statement, ...values).toArray(),
  );
}

/** Does one step of what is left to an instance's alarm. @returns false when nothing was */
export function runUpkeepStep(instance: OfInstance): Promise<boolean> {
  return runDurableObjectAlarm(objectOf(instance));
}

/** A step that the platform began by itself shows neither an alarm nor its work for a moment: so often is looked again. */
const LOOKS = 5;
const LOOK_AGAIN_MILLISECONDS = 20;

/**
 * Does what is left to an instance's alarm, step by step, until nothing is due. Steps that are due at once the platform may take
 * first.
 *
 * @returns how many steps it took at least
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

/** Lets the platform put an instance's documents to sleep: what is asked next wakes them up. */
export function evictDocuments(instance: OfInstance): Promise<void> {
  return evictDurableObject(objectOf(instance));
}
