import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** Somebody else changes the same thing in between now and then, and not twenty times in a row. */
const ATTEMPTS_MAX = 20;

/** Throws where what is stored is not what the administrator saw; asked before each attempt, whose write relies on it. */
export type RequireSeen<Current> = (current: Current) => Promise<void>;

/**
 * Changes a part of what is stored and leaves the rest as it is, whoever else changes that: what is written is made from what is
 * stored now, and written only where that is still stored; else it is made anew.
 *
 * @param attempt makes and writes the change; `undefined` where something else is stored by now
 * @throws {AdministrationRefused} where others never stop changing it, and what `attempt` throws
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
