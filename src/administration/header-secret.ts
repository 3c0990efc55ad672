import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** Shorter secrets can be guessed. */
const CHARACTERS_MIN = 16;
const CHARACTERS_MAX = 1000;

/**
 * Checks a secret header.
 *
 * @throws {AdministrationRefused} if it can't be an Authorization header, or could be guessed
 */
export function requireHeaderSecret(value: string, member: string): string {
  const isHeader = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(value);
  if (isHeader && value.length >= CHARACTERS_MIN && value.length <= CHARACTERS_MAX) return value;
  const message = `The Authorization header must have ${CHARACTERS_MIN} to 1,000 printable characters`;
  throw new AdministrationRefused(message, member);
}
