import { inBatches } from "#platform/sweep.ts";

/** Long after every token that was issued before the release has expired: until then the row is what refuses them. */
const RELEASED_KEPT_SECONDS = 90 * 24 * 3600;

export interface ReleasedPeople {
  /** Deletes people who were released before this moment and are no longer referenced, up to a limit; returns how many. */
  sweep(releasedBefore: number, rowsMax: number): Promise<number>;
}

/** @returns how many people were removed */
export function sweepReleasedPeople(people: ReleasedPeople, now: number): Promise<number> {
  return inBatches((rowsMax) => people.sweep(now - RELEASED_KEPT_SECONDS, rowsMax));
}
