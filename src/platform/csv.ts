/** Returns a line of a CSV file (RFC 4180), with its line break. */
export function csvLine(fields: readonly (string | number)[]): string {
  return `${fields.map((field) => cellOf(String(field))).join(",")}\r\n`;
}

/**
 * Writes a cell. A spreadsheet would execute a cell that begins like a formula, and anybody can choose the name of an app. A spreadsheet
 * that separates cells by semicolons, as in much of Europe, or by tabs, starts a new cell in the middle of ours, even inside quotes.
 */
function cellOf(text: string): string {
  const harmless = text.replace(/(^|[;\t\r\n])(?=[=+\-@\t\r\n＝＋－＠])/g, "$1'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
