const utf8 = new TextEncoder();

/** How many bytes a text has in UTF-8, as which it is sent and stored. */
export function utf8Length(text: string): number {
  return utf8.encode(text).length;
}
