/** A public key of an issuer, as its key set publishes it. */
export type PublicJwk = Readonly<Record<string, unknown>>;

/** Large issuers publish a handful; more is not a key set that anybody meant. */
const KEYS_MAX = 100;

/** What the first letters of an algorithm ask of a key (RFC 7518 §3.1, RFC 8037 §3.1). */
const KEY_TYPES: Readonly<Record<string, string>> = { RS: "RSA", PS: "RSA", ES: "EC", Ed: "OKP" };

/**
 * Reads a JWK Set (RFC 7517 §5): its public keys that have an id and may verify signatures. Others are passed over, as §5 asks;
 * a set without any is somebody's mistake, and must not push out the last good one.
 *
 * @throws {Error} when this is no key set
 */
export function parseKeySet(document: unknown): PublicJwk[] {
  const { keys } = (typeof document === "object" && document !== null ? document : {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > KEYS_MAX) throw new Error("the response is not a key set");
  const usable = keys.filter(isVerificationKey);
  if (usable.length === 0) throw new Error("the key set has no key that verifies signatures");
  return usable;
}

/**
 * The key of this id that fits the algorithm (RFC 7515 §4.1.4).
 *
 * @returns `undefined` when the set has none
 */
export function findKey(keys: readonly PublicJwk[], kid: string, algorithm: string): PublicJwk | undefined {
  return keys.find((key) => key["kid"] === kid && fitsAlgorithm(key, algorithm));
}

/** Whether a key is of the type that an algorithm asks for, and does not say that it is for another one. */
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
