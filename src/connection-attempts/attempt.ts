import type { ConnectionStep } from "./connection-step.ts";

/** The time within which a person signs in and decides. Later requests from the same network are a new attempt. */
const ATTEMPT_SECONDS = 15 * 60;

/** The steps of one host that tries to connect, oldest first. */
export interface Attempt {
  readonly clientId: string | null;
  readonly grantId: string | null;
  readonly network: string | null;
  readonly steps: readonly ConnectionStep[];
}

type Growing = { -readonly [Member in keyof Attempt]: Attempt[Member] } & { steps: ConnectionStep[] };

/**
 * Groups steps into attempts. From the authorization on, steps have the id of their grant. A step with only a client id belongs to
 * that client's latest attempt, and a step with neither to the latest attempt from the same network.
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
    // A set keeps the order of insertion, so the attempt with the newest step comes last.
    attempts.delete(attempt);
    attempts.add(attempt);
  }
  return [...attempts].toReversed();
}

/** Checks whether a step can belong to an attempt. */
function isOf(attempt: Attempt, step: ConnectionStep): boolean {
  if (step.grantId !== null && attempt.grantId !== null) return step.grantId === attempt.grantId;
  if (step.clientId !== null && attempt.clientId !== null) {
    if (step.clientId !== attempt.clientId) return false;
    if (step.grantId === null) return true;
  }
  // A call without a token, from a network from which somebody has just connected, starts another attempt.
  if (step.step === "challenge" && attempt.grantId !== null) return false;
  return step.at - (attempt.steps.at(-1)?.at ?? 0) <= ATTEMPT_SECONDS;
}
