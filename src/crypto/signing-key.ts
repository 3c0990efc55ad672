import { CompactSign, type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose";
import { utf8 } from "./utf8.ts";

/** ES256: small signatures, and the only algorithm of RFC 9068 that every JOSE library can verify. */
export const SIGNING_ALGORITHM = "ES256";

/** A private key, ready to sign. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

/** Creates a signing key. Its id is its thumbprint (RFC 7638), so no two keys share one. */
export async function generateSigningKey() {
  const { publicKey, privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    kid,
    publicJwk: { ...publicJwk, kid, alg: SIGNING_ALGORITHM, use: "sig" } as Readonly<Record<string, unknown>>,
    privateJwk: JSON.stringify(await exportJWK(privateKey)),
  };
}

/** Imports a private key. @param privateJwk from {@link generateSigningKey} */
export async function importSigningKey(kid: string, privateJwk: string): Promise<SigningKey> {
  const key = await importJWK(JSON.parse(privateJwk) as Record<string, string>, SIGNING_ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError("a signing key is asymmetric");
  return { kid, privateKey: key };
}

/**
 * Signs claims as a JWT of the given type (RFC 7519 §7.1). The caller provides all claims, including times; they are signed unchanged.
 */
export function signJwt(key: SigningKey, type: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new CompactSign(utf8(JSON.stringify(claims)))
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: type, kid: key.kid })
    .sign(key.privateKey);
}
