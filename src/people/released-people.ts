import { inBatches } from "#platform/sweep.ts";

/** Long after all tokens from before the release have expired. Until then, the row is needed to refuse them. */
const RELEASED_KEPT_SECONDS = 90 * 24 * 3600;

export interface ReleasedPeople {
  /**
   * Deletes people who were released before this time and are no longer referenced, up to a limit.
   *
   * @returns how many
   */
  sweep(releasedBefore: number, rowsMax: number): Promise<number>;
}

/** Deletes people who were released long ago. @returns how many */
export function sweepReleasedPeople(people: ReleasedPeople, now: number): Promise<number> {
  return inBatches((rowsMax) => people.sweep(now - RELEASED_KEPT_SECONDS, rowsMax));
}
