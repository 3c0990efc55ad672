import { base64url } from "jose";
import { utf8 } from "./utf8.ts";

/** The hash of a secret. Stores accept only this type, so a secret can't be stored by mistake. */
export type TokenHash = string & { readonly __brand: "TokenHash" };

/**
 * Returns the SHA-256 of a secret, in base64url. A fast hash is enough: every secret that is hashed here has 256 random bits and
 * can't be guessed, so a slow hash would not make it safer.
 */
export async function hashToken(secret: string): Promise<TokenHash> {
  return (await sha256(secret)) as TokenHash;
}

/** Returns the SHA-256 of a text or of bytes, in base64url without padding. */
export async function sha256(hashed: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof hashed === "string" ? utf8(hashed) : hashed;
  return base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
