const encoder = new TextEncoder();

/** The bytes of a text. Making an encoder for each text costs more than encoding it. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  // As far as its type knows, an encoder's buffer may be shared; it never is.
  return encoder.encode(text) as Uint8Array<ArrayBuffer>;
}
