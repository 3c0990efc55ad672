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

/** Returns a secret of 256 random bits, 43 base64url characters. */
export function randomSecret(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** Filled again for each id. Passing a new array to the platform each time costs more than the random bytes. */
const idBytes = new Uint8Array(16);

/**
 * Returns an id that can't be guessed or occur twice: 16 random bytes, 22 base64url characters. No id begins with a hyphen, which a
 * command line would read as an option, and a spreadsheet as a formula.
 */
export function randomId(): string {
  const id = base64url.encode(crypto.getRandomValues(idBytes));
  return id.startsWith("-") ? randomId() : id;
}
