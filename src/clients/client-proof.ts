import { hashToken, sha256 } from "#crypto/hash.ts";
import type { ClientKeys } from "./client-keys.ts";

/**
 * What a request proves of its client, as the store compares it: the hash of a secret, or a name for the keys that an assertion
 * was verified with. Comparing it in the statement that a request is about leaves no moment in which a replaced secret or key
 * still counts.
 */
export type ClientProof = string & { readonly __brand: "ClientProof" };

/**
 * The client that a request names, and what the request proves. Whether that is right is decided by the store: `null` is right
 * for a public client, and any other value for the client whose proof it is.
 */
export interface ClientCredentials {
  readonly clientId: string;
  readonly proof: ClientProof | null;
}

/** The proof that a secret is. */
export async function proofOfSecret(secret: string): Promise<ClientProof> {
  return (await hashToken(secret)) as string as ClientProof;
}

/**
 * The proof that an assertion gives once it was verified with these keys. Keys are public: without the prefix, which no hash of a
 * secret has, their text presented as a client secret would prove as much.
 */
export async function proofOfKeys(keys: ClientKeys): Promise<ClientProof> {
  return `keys:${await sha256(JSON.stringify(keys))}` as ClientProof;
}

/** Whether a proof comes from a signed assertion. */
export function isOfKeys(proof: ClientProof | null): boolean {
  return proof?.startsWith("keys:") ?? false;
}

/** What authenticates a client that has keys, or a secret, or neither. */
export async function proofOf(keys: ClientKeys | null, secret: string | undefined): Promise<ClientProof | null> {
  if (keys) return proofOfKeys(keys);
  return secret === undefined ? null : proofOfSecret(secret);
}
