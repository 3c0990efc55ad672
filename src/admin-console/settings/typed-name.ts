import { AdministrationRefused } from "#protocol/administration-refused.ts";

/**
 * Checks that an administrator who ends all access typed the instance's name, so that they don't do it to the wrong instance.
 *
 * @throws {AdministrationRefused}
 */
export function requireTypedName(typed: string | undefined, name: string): void {
  if (typed?.trim() !== name) throw new AdministrationRefused(`Type ${name}, the name of this instance`, "name");
}
