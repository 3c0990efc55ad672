import { foldName, LIKE_ASCII } from "./folding.ts";
import { unicodePattern } from "./unicode-pattern.ts";

/** Characters that are invisible in an address, or that a database does not keep. Two addresses that look alike must not be two people. */
const UNSEEN = unicodePattern(String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]`, "u");

/**
 * Returns an email address in the form that all of its spellings share ({@link foldName}), because mail systems and document
 * permissions ignore case.
 *
 * An address with a character that reads as ASCII (the Kelvin sign) is refused: it would make a stranger's address look like
 * somebody else's.
 *
 * @returns `undefined` for anything that is not an address
 */
export function parseEmailAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^[^@\s]{1,64}@[^@\s]{1,255}$/.test(value)) return undefined;
  return UNSEEN().test(value) || LIKE_ASCII.test(value) ? undefined : foldName(value);
}

/** Returns an email domain that an administrator entered, with or without `@`, as {@link parseEmailAddress} writes domains. */
export function foldDomain(domain: string): string {
  return foldName(domain.trim()).replace(/^@/, "");
}

/** Checks whether a folded text is an email domain of an organisation: at least two labels, none of them empty. */
export function isEmailDomain(domain: string): boolean {
  return /^[^.:/?#[\]\\%]+(?:\.[^.:/?#[\]\\%]+)+$/.test(domain) && parseEmailAddress(`a@${domain}`) === `a@${domain}`;
}

/** Returns the domain of an email address. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}
