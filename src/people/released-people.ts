import type { D1ReleasedPeople } from "./released-people.d1.ts";
import { inBatches } from "#platform/sweep.ts";

/** Long after all tokens from before the release have expired. Until then, the row is needed to refuse them. */
const RELEASED_KEPT_SECONDS = 90 * 24 * 3600;

/** Deletes people who were released long ago. @returns how many */
export function sweepReleasedPeople(people: D1ReleasedPeople, now: number): Promise<number> {
  return inBatches((rowsMax) => people.sweep(now - RELEASED_KEPT_SECONDS, rowsMax));
}
