import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const PAGE = readFileSync("docs/assurance/conformance.md", "utf8");

/** The rows of the table about the product's own specification, each with the tests that it names. */
const ROWS = (PAGE.split("\n### The product's own specification\n")[1]?.split("\n### ")[0] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| statement "))
  .map((row) => ({
    row,
    tests: [...row.matchAll(/`([\w./-]+\.test\.ts)`(?:: (“[^”]+”(?:, “[^”]+”)*))?/g)].map(
      ([, file = "", titles = ""]) => ({
        file,
        titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title = ""]) => title),
      }),
    ),
  }));

describe("docs/assurance/conformance.md", () => {
  it("names for each statement of the product's own specification tests that exist, by file and title", () => {
    expect(ROWS.length).toBeGreaterThan(20);
    expect(ROWS.filter(({ tests }) => tests.length === 0).map(({ row }) => row)).toEqual([]);
    const named = ROWS.flatMap(({ tests }) => tests);
    expect(named.filter(({ titles }) => titles.length === 0)).toEqual([]);
    const missing = named.flatMap(({ file, titles }) => {
      const text = readFileSync(`test/${file}`, "utf8");
      return titles.filter((title) => !text.includes(JSON.stringify(title))).map((title) => `${file}: ${title}`);
    });
    expect(missing).toEqual([]);
  });
});
