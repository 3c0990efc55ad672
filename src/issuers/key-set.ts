/** A public key of an issuer, as its key set publishes it. */
export type PublicJwk = Readonly<Record<string, unknown>>;

/** Maximum keys of a set. Large issuers publish a handful; more would be a mistake. */
const KEYS_MAX = 100;

/** The key type that an algorithm needs, by its first letters (RFC 7518 §3.1, RFC 8037 §3.1). */
const KEY_TYPES: Readonly<Record<string, string>> = { RS: "RSA", PS: "RSA", ES: "EC", Ed: "OKP" };

/**
 * Parses a JWK Set (RFC 7517 §5) and returns the public keys that have an id and may verify signatures. Others are ignored, as §5
 * requires. A set without any such key is a mistake, and must not replace the last good one.
 *
 * @throws {Error} if it is not a key set, or has no such key
 */
export function parseKeySet(document: unknown): PublicJwk[] {
  const { keys } = (typeof document === "object" && document !== null ? document : {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > KEYS_MAX) throw new Error("the response is not a key set");
  const usable = keys.filter(isVerificationKey);
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

function isVerificationKey(key: unknown): key is PublicJwk {
  if (typeof key !== "object" || key === null) return false;
  const { kid, kty, use, key_ops: operations, d } = key as Record<string, unknown>;
  const isPublic = (kty === "RSA" || kty === "EC" || kty === "OKP") && d === undefined;
  const mayVerify =
    (use === undefined || use === "sig") &&
    (operations === undefined || (Array.isArray(operations) && operations.includes("verify")));
  return isPublic && mayVerify && typeof kid === "string" && kid !== "";
}
