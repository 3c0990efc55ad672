import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** Somebody else may change the same thing between a read and the write, but hardly twenty times in a row. */
const ATTEMPTS_MAX = 20;

/**
 * Throws if the stored value is not what the administrator saw. Called before each attempt; its write depends on the check.
 */
export type RequireSeen<Current> = (current: Current) => Promise<void>;

/**
 * Changes a part of a stored value and keeps what others change in the meantime: the new value is made from the stored one, and
 * written only if that one is still stored. Otherwise it tries again.
 *
 * @param attempt makes and writes the change; returns `undefined` if the stored value has changed in the meantime
 * @throws {AdministrationRefused} if others keep changing it, and whatever `attempt` throws
 */
export async function changeFromCurrent<Current, Outcome>(
  read: () => Promise<Current>,
  attempt: (current: Current) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  for (let count = 1; count <= ATTEMPTS_MAX; count += 1) {
    const outcome = await attempt(await read());
    if (outcome !== undefined) return outcome;
  }
  throw new AdministrationRefused("Somebody else is changing this right now: try again");
}
