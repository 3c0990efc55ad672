import { base64url } from "jose";
import { utf8 } from "./utf8.ts";

/** The hash of a secret. Stores accept nothing else, so a secret cannot be written down by mistake. */
export type TokenHash = string & { readonly __brand: "TokenHash" };

/**
 * SHA-256 of a secret, base64url. A plain hash suffices because every secret hashed here has 256 random bits: there is
 * nothing to guess, so there is nothing that a slow hash would slow down.
 */
export async function hashToken(secret: string): Promise<TokenHash> {
  return (await sha256(secret)) as TokenHash;
}

/** SHA-256 of a text or of bytes, base64url without padding. */
export async function sha256(hashed: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof hashed === "string" ? utf8(hashed) : hashed;
  return base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
