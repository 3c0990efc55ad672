import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const PAGE = readFileSync("docs/assurance/conformance.md", "utf8");

/** Returns the rows of a section's table, each with the tests that it names. */
const rowsOf = (section: string) =>
  (PAGE.split(`\n### ${section}\n`)[1]?.split("\n### ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (statement|row) /.test(line))
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
  it.each(["The product's own specification", "MCP security interoperability event of the OpenID Foundation"])(
    "names tests that exist, by file and title, for each statement of: %s",
    (section) => {
      // A row that says no names the reason, and no test.
      const rows = rowsOf(section).filter(({ row }) => !row.includes("| no: "));
      expect(rows.length).toBeGreaterThan(15);
      expect(rows.filter(({ tests }) => tests.length === 0).map(({ row }) => row)).toEqual([]);
      const named = rows.flatMap(({ tests }) => tests);
      expect(named.filter(({ titles }) => titles.length === 0)).toEqual([]);
      const missing = named.flatMap(({ file, titles }) => {
        const text = readFileSync(`test/${file}`, "utf8");
        return titles.filter((title) => !text.includes(JSON.stringify(title))).map((title) => `${file}: ${title}`);
      });
      expect(missing).toEqual([]);
    },
  );
});
