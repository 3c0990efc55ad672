import { publicKeys } from "#clients/app-members.ts";
import { type ClientKeys, enteredKeys, requireEnteredKeys } from "#clients/client-keys.ts";
import { closed } from "#platform/members.ts";
import * as v from "valibot";

const [byUri, byValue] = publicKeys.options;

/** Public keys in a request where other members are refused. */
export const onlyPublicKeys = v.union([closed(byUri.entries), closed(byValue.entries)]);

/**
 * Converts keys to their stored form, after the same checks as for keys that administrators type in.
 *
 * @throws {AdministrationRefused} naming `keys`
 */
export function requirePublicKeys(given: v.InferOutput<typeof publicKeys>): ClientKeys {
  return requireEnteredKeys(enteredKeys(given));
}
