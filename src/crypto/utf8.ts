const encoder = new TextEncoder();

/** Returns the bytes of a text. Creating an encoder for each text would cost more than encoding it. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  // According to its type, an encoder's buffer may be shared, but it never is.
  return encoder.encode(text) as Uint8Array<ArrayBuffer>;
}
