import { foldName, LIKE_ASCII } from "./folding.ts";
import { unicodePattern } from "./unicode-pattern.ts";

/** What is not seen in an address, or not kept by a database: two addresses that look alike must not be two people. */
const UNSEEN = unicodePattern(String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]`, "u");

/**
 * An email address as all of its spellings share it ({@link foldName}): mail systems and document permissions do not tell cases apart.
 *
 * A letter that reads as one of ASCII (the Kelvin sign) would make a stranger's address look like somebody else's, so there is no such
 * address.
 *
 * @returns `undefined` for anything that is not an address
 */
export function parseEmailAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^[^@\s]{1,64}@[^@\s]{1,255}$/.test(value)) return undefined;
  return UNSEEN().test(value) || LIKE_ASCII.test(value) ? undefined : foldName(value);
}

/** The domain of an email address. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}
