/** The space between columns. */
const GAP = "  ";

/**
 * Formats rows in columns, below their headers.
 *
 * @param nouns what the rows are, such as `apps`, for the line that says that there are none
 */
export function table(nouns: string, headers: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [`There are no ${nouns}.`];
  const all = [headers.map((header) => header.toUpperCase()), ...rows.map((row) => row.map(visible))];
  const widths = headers.map((_header, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Formats the members of a response, one per line, such as `registration = "open"`. */
export function members(answer: object): string[] {
  return Object.entries(answer).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
}

/** Formats a time in UTC, or an empty text for `null`. */
export function time(seconds: number | null): string {
  return seconds === null ? "" : new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

/**
 * Replaces the characters that move a terminal's cursor or change the direction of text. Apps and people choose their own names,
 * and a name must not be able to rewrite a line.
 */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}
