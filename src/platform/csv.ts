/** A line of a CSV file (RFC 4180), with its end. */
export function csvLine(fields: readonly (string | number)[]): string {
  return `${fields.map((field) => cellOf(String(field))).join(",")}\r\n`;
}

/**
 * A spreadsheet would run a cell that begins like a formula, with whatever somebody chose as the name of an app. One that separates
 * cells by semicolons, as in much of Europe, or by tabs, begins a cell in the middle of ours, in quotes too.
 */
function cellOf(text: string): string {
  const harmless = text.replace(/(^|[;\t\r\n])(?=[=+\-@\t\r\n＝＋－＠])/g, "$1'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
