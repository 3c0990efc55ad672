/** Adds a full stop to a message for a page. Messages have none, because they are also used in commands and JSON. */
export function sentence(message: string): string {
  return /[.?!:]$/.test(message) ? message : `${message}.`;
}
