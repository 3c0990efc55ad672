/** A public key of an issuer: the members that select it and verify signatures, and no others that its key set may have. */
export type PublicJwk = Readonly<Record<string, unknown>>;

/** Maximum keys of a set. Large issuers publish a handful; more would be a mistake. */
const KEYS_MAX = 100;

/** The most characters of a key's members together: a modulus of 8192 bits has 1366. */
const KEY_CHARACTERS_MAX = 2000;

/** The members of a public key, by its type (RFC 7518 §6.2.1, §6.3.1; RFC 8037 §2). */
const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ["n", "e"],
  EC: ["crv", "x", "y"],
  OKP: ["crv", "x"],
};

/** The key type that an algorithm needs, by its first letters (RFC 7518 §3.1, RFC 8037 §3.1). */
const KEY_TYPES: Readonly<Record<string, string>> = { RS: "RSA", PS: "RSA", ES: "EC", Ed: "OKP" };

/**
 * Parses a JWK Set (RFC 7517 §5) and returns the public keys that have an id and may verify signatures, without the members that are
 * not used. Other keys are ignored, as §5 requires. A set without any such key is a mistake, and must not replace the last good one.
 *
 * @throws {Error} if it is not a key set, or has no such key
 */
export function parseKeySet(document: unknown): PublicJwk[] {
  const { keys } = (typeof document === "object" && document !== null ? document : {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > KEYS_MAX) throw new Error("the response is not a key set");
  const usable = keys.map(verificationKey).filter((key) => key !== undefined);
  if (usable.length === 0) throw new Error("the key set has no key that verifies signatures");
  return usable;
}

/**
 * Finds the key with this id that fits the algorithm (RFC 7515 §4.1.4).
 *
 * @returns `undefined` if the set has none
 */
export function findKey(keys: readonly PublicJwk[], kid: string, algorithm: string): PublicJwk | undefined {
  return keys.find((key) => key["kid"] === kid && fitsAlgorithm(key, algorithm));
}

/** Checks whether a key has the type that an algorithm needs, and isn't marked for another one. */
export function fitsAlgorithm({ kty, alg }: PublicJwk, algorithm: string): boolean {
  const isMeantFor = alg === undefined || alg === algorithm || (alg === "Ed25519" && algorithm === "EdDSA");
  return kty === KEY_TYPES[algorithm.slice(0, 2)] && isMeantFor;
}

function verificationKey(key: unknown): PublicJwk | undefined {
  if (typeof key !== "object" || key === null) return undefined;
  const jwk = key as Readonly<Record<string, unknown>>;
  const { kid, kty, use, key_ops: operations, d } = jwk;
  const members = typeof kty === "string" && Object.hasOwn(PUBLIC_MEMBERS, kty) ? PUBLIC_MEMBERS[kty] : undefined;
  const mayVerify =
    (use === undefined || use === "sig") &&
    (operations === undefined || (Array.isArray(operations) && operations.includes("verify")));
  if (!members || d !== undefined || !mayVerify || typeof kid !== "string" || kid === "") return undefined;
  const used = ["kid", "kty", ...(jwk["alg"] === undefined ? [] : ["alg"]), ...members];
  const values = used.map((name) => jwk[name]);
  if (!values.every((value) => typeof value === "string") || values.join("").length > KEY_CHARACTERS_MAX)
    return undefined;
  return Object.fromEntries(used.map((name): [string, unknown] => [name, jwk[name]]));
}
