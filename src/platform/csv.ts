/** A line of a CSV file (RFC 4180), with its end. */
export function csvLine(fields: readonly (string | number)[]): string {
  return `${fields.map((field) => cellOf(String(field))).join(",")}\r\n`;
}

/** A spreadsheet would run a cell that begins like a formula, with whatever somebody chose as the name of an app. */
function cellOf(text: string): string {
  const harmless = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
