const utf8 = new TextEncoder();

/** Returns the length of a text in bytes of UTF-8, in which it is sent and stored. */
export function utf8Length(text: string): number {
  return utf8.encode(text).length;
}
