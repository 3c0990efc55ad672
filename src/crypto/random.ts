import { base64url } from "jose";

/** A secret of 256 random bits, 43 base64url characters. */
export function randomSecret(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * A name that cannot be guessed or met twice: 16 random bytes, 22 base64url characters. None begins with a hyphen: in a command line
 * it would be read as an option, and in a spreadsheet as a formula.
 */
export function randomId(): string {
  const id = base64url.encode(crypto.getRandomValues(new Uint8Array(16)));
  return id.startsWith("-") ? randomId() : id;
}
