import { webcrypto } from "node:crypto";
import type { TestProject } from "vitest/node";
import type { IssuerJwk, IssuerKey, IssuersUnderTest } from "../provided.d.ts";
import { IssuerServer } from "./issuer-server.ts";

type Parameters = webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams;

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", publicExponent: new Uint8Array([1, 0, 1]) };

/** The keys of the test issuers. They are generated for every run. */
const KEYS: Readonly<Record<string, readonly [algorithm: string, parameters: Parameters]>> = {
  rsa: ["RS256", { ...RSA, modulusLength: 2048 }],
  rsaNext: ["RS256", { ...RSA, modulusLength: 2048 }],
  rsaWeak: ["RS256", { ...RSA, modulusLength: 1024 }],
  ec: ["ES256", { name: "ECDSA", namedCurve: "P-256" }],
  ecNext: ["ES256", { name: "ECDSA", namedCurve: "P-256" }],
  p384: ["ES384", { name: "ECDSA", namedCurve: "P-384" }],
  p521: ["ES512", { name: "ECDSA", namedCurve: "P-521" }],
  ed25519: ["EdDSA", { name: "Ed25519", namedCurve: "Ed25519" }],
};

/** Starts identity providers for all tests in workerd. They issue access tokens, but nobody can sign in there. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { issuers, stop } = await startIssuers();
  project.provide("issuers", issuers);
  return stop;
}

/** Starts the issuers' server and generates their keys. */
export async function startIssuers(): Promise<{ issuers: IssuersUnderTest; stop: () => Promise<void> }> {
  const server = await IssuerServer.start();
  const made = await Promise.all(Object.entries(KEYS).map(async ([name, key]) => [name, await makeKey(name, ...key)]));
  const keys = Object.fromEntries(made) as Record<string, IssuerKey>;
  return { issuers: { origin: server.origin, keys }, stop: () => server.stop() };
}

async function makeKey(name: string, algorithm: string, parameters: Parameters): Promise<IssuerKey> {
  const { publicKey, privateKey } = await webcrypto.subtle.generateKey(parameters, true, ["sign", "verify"]);
  const exported = async (key: webcrypto.CryptoKey): Promise<IssuerJwk> => {
    const { ext: _ext, key_ops: _operations, alg: _algorithm, ...jwk } = await webcrypto.subtle.exportKey("jwk", key);
    return { ...jwk, kty: jwk.kty ?? "", kid: `key-${name}`, use: "sig" };
  };
  return { algorithm, publicJwk: await exported(publicKey), privateJwk: await exported(privateKey) };
}
