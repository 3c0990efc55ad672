import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

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

it("figures that pages quote equal the first number of a cell in the row that they name", () => {
  const wrong = QUOTES.filter(({ figure, section, row }) => {
    const found = (ROWS.get(section) ?? []).filter(([first]) => first === row);
    const measured = found.flatMap((cells) => cells.slice(1).map(numberIn));
    return numberIn(figure) === undefined || !measured.includes(numberIn(figure));
  });
  expect(wrong).toEqual([]);
  expect(QUOTES.filter(({ page }) => page === SOURCE).length).toBeGreaterThan(15);
});
