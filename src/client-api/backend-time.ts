/** The steps in which responses tell how long they took. */
const STEP_MILLIS = 100;

/**
 * Returns how long a request took, rounded up. A finer time would tell how many documents a search passed over because the person
 * may not see them.
 */
export function backendTimeMillis(startedAt: number, now: number): number {
  return Math.ceil((now - startedAt) / STEP_MILLIS) * STEP_MILLIS;
}
