/** A message as a page says it: messages are written for commands and JSON too, where they end without a full stop. */
export function sentence(message: string): string {
  return /[.?!:]$/.test(message) ? message : `${message}.`;
}
