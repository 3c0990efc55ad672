import { parseStrictJson } from "#crypto/strict-json.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Refusal } from "#protocol/errors.ts";
import { type ClientKeys, parseClientKeys } from "./client-keys.ts";

/**
 * Reads an app's public keys as administrators enter them: the https URL of its JWK Set, or the set itself.
 *
 * @throws {AdministrationRefused} naming `keys`; for a private key, the message says that it is no longer secret
 */
export function requireEnteredKeys(text: string): ClientKeys {
  const entered = text.trim();
  if (entered === "") throw keysMissing();
  try {
    const keys = parseClientKeys(entered.startsWith("{") ? { jwks: parseJson(entered) } : { jwks_uri: entered });
    if (keys) return keys;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isSet = entered.startsWith("{");
    throw new AdministrationRefused(
      isSet ? error.description : "Enter an https URL at a public host, or the JWK Set itself",
      "keys",
    );
  }
  throw keysMissing();
}

/** The refusal of a form without keys. */
export function keysMissing(): AdministrationRefused {
  return new AdministrationRefused("Enter the public keys, or their URL", "keys");
}

/** Returns keys in the form in which administrators enter them. */
export function enteredKeys(keys: { readonly jwksUri: string } | { readonly jwks: readonly object[] }): string {
  return "jwksUri" in keys ? keys.jwksUri : JSON.stringify({ keys: keys.jwks });
}

function parseJson(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    throw new AdministrationRefused("This is not JSON: paste the whole JWK Set, or enter its https address", "keys");
  }
}
