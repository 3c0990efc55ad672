import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** Somebody else changes the same thing in between now and then, and not twenty times in a row. */
const ATTEMPTS_MAX = 20;

/** Throws where what is stored is not what the administrator saw; asked before each attempt, whose write relies on it. */
export type RequireSeen<Current> = (current: Current) => Promise<void>;

/**
 * Changes a part of what is stored, and keeps what others change meanwhile: the new value is made from the stored one, and written only
 * if that one is still stored. Otherwise it is made again.
 *
 * @param attempt makes and writes the change; `undefined` if something else is stored by now
 * @throws {AdministrationRefused} if others keep changing it, and what `attempt` throws
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
