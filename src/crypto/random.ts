import { base64url } from "jose";

/** A secret of 256 random bits, 43 base64url characters. */
export function randomSecret(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** A name that cannot be guessed or met twice: 128 random bits, 22 base64url characters. */
export function randomId(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(16)));
}
