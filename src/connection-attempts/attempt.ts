import type { ConnectionStep } from "./connection-step.ts";

/** A person signs in and decides within this time; later requests from the same network are a new attempt. */
const ATTEMPT_SECONDS = 15 * 60;

/** Steps that belong together, oldest first: one host that tries to connect, as far as it got. */
export interface Attempt {
  readonly clientId: string | null;
  readonly grantId: string | null;
  readonly network: string | null;
  readonly steps: readonly ConnectionStep[];
}

type Growing = { -readonly [Member in keyof Attempt]: Attempt[Member] } & { steps: ConnectionStep[] };

/**
 * Puts steps together. From the authorization on they carry the id of their grant; what names an app belongs to its last attempt, and
 * what names nothing to the last one from the same network.
 *
 * @param steps oldest first
 * @returns the attempts, the one with the newest step first
 */
export function attemptsOf(steps: readonly ConnectionStep[]): Attempt[] {
  const ofGrant = new Map<string, Growing>();
  const ofClient = new Map<string, Growing>();
  const ofNetwork = new Map<string | null, Growing>();
  const attempts = new Set<Growing>();
  for (const step of steps) {
    const { clientId, grantId, network } = step;
    const candidates = [
      grantId === null ? undefined : ofGrant.get(grantId),
      clientId === null ? undefined : ofClient.get(clientId),
      ofNetwork.get(network),
    ];
    const known = candidates.find((attempt) => attempt !== undefined && isOf(attempt, step));
    const attempt: Growing = known ?? { clientId, grantId, network, steps: [] };
    attempt.steps.push(step);
    attempt.clientId ??= clientId;
    attempt.grantId ??= grantId;
    if (attempt.grantId !== null) ofGrant.set(attempt.grantId, attempt);
    if (attempt.clientId !== null) ofClient.set(attempt.clientId, attempt);
    ofNetwork.set(network, attempt);
    // A set keeps the order of insertion: the attempt with the newest step is the last.
    attempts.delete(attempt);
    attempts.add(attempt);
  }
  return [...attempts].toReversed();
}

/** Whether a step can be one more of an attempt. */
function isOf(attempt: Attempt, step: ConnectionStep): boolean {
  if (step.grantId !== null && attempt.grantId !== null) return step.grantId === attempt.grantId;
  if (step.clientId !== null && attempt.clientId !== null) {
    if (step.clientId !== attempt.clientId) return false;
    if (step.grantId === null) return true;
  }
  // A call without a token from where somebody has just connected is another attempt.
  if (step.step === "challenge" && attempt.grantId !== null) return false;
  return step.at - (attempt.steps.at(-1)?.at ?? 0) <= ATTEMPT_SECONDS;
}
