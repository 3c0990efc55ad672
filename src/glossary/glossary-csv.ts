import { LANGUAGES } from "#documents/languages.ts";
import { csvLine } from "#platform/csv.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { GlossaryEntry } from "./glossary.ts";

const HEADER = ["term", "meaning", "direction", "language"];
const BOTH_WAYS = "both";
const ONE_WAY = "one way";

/** A cell (RFC 4180), and what follows it. Spreadsheets in much of Europe separate cells by semicolons, and paste them by tabs. */
const CELL = /(?:"((?:[^"]|"")*)"|([^,;\t\r\n]*))([,;\t]|\r?\n|$)/gy;

/** Returns a glossary as a CSV file that spreadsheets open. */
export function toCsv(entries: readonly GlossaryEntry[]): string {
  const lines = entries.map(({ term, meaning, isTwoWay, language }) => [
    term,
    meaning,
    isTwoWay ? BOTH_WAYS : ONE_WAY,
    language ?? "",
  ]);
  return [HEADER, ...lines].map(csvLine).join("");
}

/**
 * Reads entries of a CSV file: a term and a meaning, whether both ways (as usual) or one way, and a language. The header may be left out.
 *
 * @throws {AdministrationRefused} naming the first line that is wrong
 */
export function fromCsv(text: string): GlossaryEntry[] {
  return rowsIn(text).flatMap((cells, at) => {
    const [term = "", meaning = "", direction = "", language = ""] = cells.map((cell) => cell.trim());
    const isHeader = at === 0 && term.toLowerCase() === HEADER[0] && meaning.toLowerCase() === HEADER[1];
    if (isHeader || cells.every((cell) => cell.trim() === "")) return [];
    const spoken = LANGUAGES.find((one) => one === language.toLowerCase()) ?? null;
    const way = direction.toLowerCase();
    const problem =
      term === "" || meaning === ""
        ? "write a term, a comma and its meaning"
        : ![BOTH_WAYS, ONE_WAY, ""].includes(way)
          ? `the third cell is “${BOTH_WAYS}” or “${ONE_WAY}”`
          : spoken === null && language !== ""
            ? `the fourth cell is a language: ${LANGUAGES.join(", ")}`
            : null;
    if (problem !== null) throw new AdministrationRefused(`Line ${at + 1}: ${problem}`, "entries");
    return { term, meaning, isTwoWay: way !== ONE_WAY, language: spoken };
  });
}

function rowsIn(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [whole, quoted, plain = "", end = ""] of text.replace(/^\ufeff/, "").matchAll(CELL)) {
    // The apostrophe keeps spreadsheets from executing a cell.
    rows.at(-1)?.push((quoted?.replaceAll('""', '"') ?? plain).replace(/^'(?=[=+\-@])/, ""));
    if (end === "" || whole === "") break;
    if (end.endsWith("\n")) rows.push([]);
  }
  return rows;
}
