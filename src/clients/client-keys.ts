import { OAuthError, Refusal } from "#protocol/errors.ts";
import { isPublicHost } from "#platform/outgoing-fetch.ts";
import { isObject } from "#protocol/json-object.ts";
import { holdsSecret, readPublicKey } from "#crypto/public-key.ts";
import { parseStrictJson } from "#crypto/strict-json.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** Where a client's public keys are (RFC 7591 §2): at the client's own URL, or in its metadata. */
export type ClientKeys = { readonly jwksUri: string } | { readonly jwks: readonly PublicClientKey[] };

/** A public key in metadata: the members that verify a signature, and nothing else. */
interface PublicClientKey {
  readonly kty: "EC" | "RSA";
  readonly kid?: string;
  readonly alg?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

/** The most keys in a client's metadata. It needs a key in use and the next one; more would only take up storage. */
const KEYS_MAX = 4;

const JWKS_URI_CHARACTERS_MAX = 500;

/**
 * Reads `jwks_uri` or `jwks` of client metadata (RFC 7591 §2).
 *
 * @returns `null` if there is neither
 * @throws {OAuthError} `invalid_client_metadata` for both, and for keys that cannot verify a signature; for a private key, the
 *   error says that it is no longer secret, because its owner has published it
 */
export function parseClientKeys(metadata: { readonly jwks_uri?: unknown; readonly jwks?: unknown }): ClientKeys | null {
  const { jwks_uri: jwksUri, jwks } = metadata;
  if (jwksUri !== undefined && jwks !== undefined) throw unacceptable("jwks", "send jwks_uri or jwks, not both");
  if (jwksUri !== undefined) return { jwksUri: requireKeysAddress(jwksUri) };
  if (jwks === undefined) return null;
  const keys = isObject(jwks) ? jwks["keys"] : undefined;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > KEYS_MAX) {
    throw unacceptable("jwks", `expected a JWK Set of 1 to ${KEYS_MAX} public keys`);
  }
  return { jwks: keys.map(requirePublicKey) };
}

/**
 * Requires an https URL without user information or fragment, at a public host. Requests to others are refused later too, but an
 * app that registers with one would learn of it only when it authenticates.
 */
function requireKeysAddress(value: unknown): string {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const isAcceptable =
    url !== undefined &&
    url.href.length <= JWKS_URI_CHARACTERS_MAX &&
    url.protocol === "https:" &&
    isPublicHost(url) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "";
  if (!isAcceptable) throw unacceptable("jwks_uri", "expected an https URL at a public host");
  return url.href;
}

function requirePublicKey(value: unknown): PublicClientKey {
  const key = isObject(value) ? value : {};
  if (holdsSecret(key)) {
    throw unacceptable("jwks", "send only public keys: this private key is no longer secret, so make a new one");
  }
  if (key["use"] !== undefined && key["use"] !== "sig")
    throw unacceptable("jwks", "expected keys for signatures (use: sig)");
  const named = {
    ...(typeof key["kid"] === "string" && key["kid"] !== "" ? { kid: key["kid"].slice(0, 200) } : {}),
    ...(typeof key["alg"] === "string" ? { alg: key["alg"].slice(0, 20) } : {}),
  };
  const publicKey = readPublicKey(key);
  if (publicKey && publicKey.kty !== "OKP") return { ...publicKey, ...named };
  throw unacceptable("jwks", "expected EC keys on P-256, or RSA keys of 2048 to 4096 bits with the exponent 65537");
}

function unacceptable(member: string, expected: string): OAuthError {
  return new OAuthError("invalid_client_metadata", {
    reason: "client_metadata_unacceptable",
    about: member,
    description: `${member} is not acceptable: ${expected}`,
  });
}

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
