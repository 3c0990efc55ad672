import type { ClientKeys } from "#clients/client-keys.ts";
import { enteredKeys, requireEnteredKeys } from "#clients/entered-keys.ts";
import { closed } from "#platform/members.ts";
import * as v from "valibot";
import { text } from "./members.ts";

const byUri = { jwksUri: text };
const byValue = { jwks: v.array(v.objectWithRest({ kty: text }, v.unknown())) };

/** The public keys of an app or of a service account. */
export const publicKeys = v.union([v.object(byUri), v.object(byValue)]);

/** The same keys in a request, where other members are refused. */
export const onlyPublicKeys = v.union([closed(byUri), closed(byValue)]);

/**
 * Converts keys to their stored form, after the same checks as for keys that administrators type in.
 *
 * @throws {AdministrationRefused} naming `keys`
 */
export function requirePublicKeys(given: v.InferOutput<typeof publicKeys>): ClientKeys {
  return requireEnteredKeys(enteredKeys(given));
}
