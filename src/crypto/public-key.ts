import { calculateJwkThumbprint } from "jose";
import { decodeCanonical } from "./base64url.ts";

/** The members of a public key that are needed to verify a signature (RFC 7518 §6, RFC 8037 §2). */
export type PublicKey =
  | { readonly kty: "EC"; readonly crv: "P-256"; readonly x: string; readonly y: string }
  | { readonly kty: "RSA"; readonly n: string; readonly e: "AQAB" }
  | { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };

/** RFC 7518 §3.3 requires 2048 bits. Beyond 4096, a verification costs the server more than the caller. */
const RSA_MODULUS_BYTES = { least: 256, most: 512 };

/** The members of a JWK that contain a secret (RFC 7518 §6.2.2, §6.3.2, §6.4.1). */
const SECRET_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

export function holdsSecret(jwk: Readonly<Record<string, unknown>>): boolean {
  return SECRET_MEMBERS.some((name) => name in jwk);
}

/**
 * Reads the public key of a JWK. Only canonical base64url is accepted, so that each key has one thumbprint.
 *
 * @returns `undefined` for other kinds of keys, and for RSA keys that are too short, too long, or have an exponent other than 65537
 */
export function readPublicKey(jwk: Readonly<Record<string, unknown>>): PublicKey | undefined {
  const { kty, crv, x, y, n, e } = jwk;
  if (kty === "EC" && crv === "P-256" && byteLength(x) === 32 && byteLength(y) === 32) {
    return { kty, crv, x: String(x), y: String(y) };
  }
  if (kty === "OKP" && crv === "Ed25519" && byteLength(x) === 32) return { kty, crv, x: String(x) };
  const modulusBytes = byteLength(n);
  const isRsa = modulusBytes >= RSA_MODULUS_BYTES.least && modulusBytes <= RSA_MODULUS_BYTES.most;
  return kty === "RSA" && isRsa && e === "AQAB" ? { kty, n: String(n), e } : undefined;
}

/** Returns the key's RFC 7638 thumbprint, by which keys are compared: SHA-256 in base64url, 43 characters. */
export function thumbprintOf(key: PublicKey): Promise<string> {
  return calculateJwkThumbprint({ ...key }, "sha256");
}

/** Returns the length of the decoded bytes; 0 for anything but canonical base64url. */
function byteLength(value: unknown): number {
  return typeof value === "string" ? (decodeCanonical(value)?.length ?? 0) : 0;
}
