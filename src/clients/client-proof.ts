import { hashToken, sha256 } from "#crypto/hash.ts";
import type { ClientKeys } from "./client-keys.ts";

/**
 * What a request proves about its client, in the form that the store compares: the hash of a secret, or a name for the keys that
 * an assertion was verified with. It is compared in the statement that carries out the request, so there is no moment in which a
 * replaced secret or key still counts.
 */
export type ClientProof = string & { readonly __brand: "ClientProof" };

/**
 * The client that a request names, and what the request proves. The store decides whether that is right: `null` is right for a
 * public client, and any other value for the client that has this proof.
 */
export interface ClientCredentials {
  readonly clientId: string;
  readonly proof: ClientProof | null;
}

/** Returns the proof that a secret gives. */
export async function proofOfSecret(secret: string): Promise<ClientProof> {
  return (await hashToken(secret)) as string as ClientProof;
}

/**
 * Returns the proof that an assertion gives after it was verified with these keys. Keys are public: without the prefix, which no
 * hash of a secret has, their text could be sent as a client secret and would prove the same.
 */
export async function proofOfKeys(keys: ClientKeys): Promise<ClientProof> {
  return `keys:${await sha256(JSON.stringify(keys))}` as ClientProof;
}

/** Checks whether a proof comes from a signed assertion. */
export function isOfKeys(proof: ClientProof | null): boolean {
  return proof?.startsWith("keys:") ?? false;
}

/** Returns the proof that authenticates a client with keys or with a secret; `null` if it has neither. */
export async function proofOf(keys: ClientKeys | null, secret: string | undefined): Promise<ClientProof | null> {
  if (keys) return proofOfKeys(keys);
  return secret === undefined ? null : proofOfSecret(secret);
}
