/** What is not seen in an address, or not kept by a database: two addresses that look alike must not be two people. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}]/u;

/**
 * An email address in lower case: mail systems and document permissions do not tell cases apart.
 *
 * A letter beyond ASCII that lower case turns into one of ASCII (the Kelvin sign becomes k) would make a stranger's address
 * somebody else's, so there is no such address.
 *
 * @returns `undefined` for anything that is not an address
 */
export function parseEmailAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^[^@\s]{1,64}@[^@\s]{1,255}$/.test(value) || UNSEEN.test(value)) return undefined;
  const address = value.toLowerCase();
  return beyondAscii(address) === beyondAscii(value) ? address : undefined;
}

/** How many letters an alphabet other than ours has in a text. */
function beyondAscii(text: string): number {
  return text.replace(/[\x20-\x7e]/g, "").length;
}
