import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const SOURCE = "docs/performance.md";
const PAGES = ["README.md", ...readdirSync("docs").map((file) => `docs/${file}`)].filter((page) =>
  page.endsWith(".md"),
);

/** A figure that names the row of a table: `[6.27](#the-gate "workers-oauth-provider, KV of workerd")`. */
const QUOTE = /\[([^\]]+)\]\(([\w./-]*)#([\w-]+) "([^"]+)"\)/g;

interface Quote {
  readonly page: string;
  readonly figure: string;
  readonly section: string;
  readonly row: string;
}

const QUOTES: readonly Quote[] = PAGES.flatMap((page) =>
  [...readFileSync(page, "utf8").matchAll(QUOTE)]
    .filter(([, , path = ""]) => path.endsWith("performance.md") || (path === "" && page === SOURCE))
    .map(([, figure = "", , section = "", row = ""]) => ({ page, figure, section, row })),
);

/** The rows of the tables below each heading, as cells. */
const ROWS = new Map(
  readFileSync(SOURCE, "utf8")
    .split(/^#+ /m)
    .map((section) => {
      const [heading = "", ...lines] = section.split("\n");
      const rows = lines.filter((line) => line.startsWith("| ")).map((line) => line.split("|").slice(1, -1));
      return [heading.toLowerCase().replaceAll(" ", "-"), rows.map((cells) => cells.map((cell) => cell.trim()))];
    }),
);

const numberIn = (text: string) => /\d[\d,.]*\d|\d/.exec(text)?.[0];

const FIGURES = readFileSync("README.md", "utf8").split("\n## Figures\n")[1]?.split("\n## ")[0] ?? "";

describe("figures", () => {
  it("that are quoted equal the first number of a cell in the row that they name", () => {
    const wrong = QUOTES.filter(({ figure, section, row }) => {
      const found = (ROWS.get(section) ?? []).filter(([first]) => first === row);
      const measured = found.flatMap((cells) => cells.slice(1).map(numberIn));
      return numberIn(figure) === undefined || !measured.includes(numberIn(figure));
    });
    expect(wrong).toEqual([]);
    expect(QUOTES.filter(({ page }) => page === SOURCE).length).toBeGreaterThan(15);
  });

  it("in the README are all quoted from where a test compares them", () => {
    const measured = FIGURES.split("\n")
      .filter((line) => line.startsWith("| ") && !line.startsWith("| figure "))
      .map((line) => line.split("|")[2] ?? "");
    const unquoted = measured.map((cell) => cell.replaceAll(QUOTE, "").replace("(docs/storage-operations.md)", ""));
    expect(measured.length).toBeGreaterThan(5);
    expect(unquoted.filter((cell) => /\d/.test(cell.replace("[1 round trip, 1 row written]", "")))).toEqual([]);
  });

  it("of another library in the README are all that the gate's table has, and not only the worst", () => {
    const measured = (ROWS.get("the-gate") ?? []).map(([first = ""]) => first);
    const compared = measured.filter((row) => row.startsWith("workers-oauth-provider"));
    expect(compared).toHaveLength(2);
    expect(compared.filter((row) => !FIGURES.includes(`"${row}"`))).toEqual([]);
  });
});
