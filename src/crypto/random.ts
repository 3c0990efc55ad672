import { base64url } from "jose";

/** A secret of 256 random bits, 43 base64url characters. */
export function randomSecret(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** Is drawn anew for each id. Giving the platform a new array each time costs more than drawing. */
const idBytes = new Uint8Array(16);

/**
 * A name that cannot be guessed or met twice: 16 random bytes, 22 base64url characters. None begins with a hyphen: in a command line
 * it would be read as an option, and in a spreadsheet as a formula.
 */
export function randomId(): string {
  const id = base64url.encode(crypto.getRandomValues(idBytes));
  return id.startsWith("-") ? randomId() : id;
}
