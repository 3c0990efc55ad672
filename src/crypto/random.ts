import { base64url } from "jose";

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
