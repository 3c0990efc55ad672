import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const SPECIFICATION = "The product's own specification";

/** A test file, and titles of its tests if any are named. */
const NAMED = /`([\w./-]+\.test\.ts)`(?:: (“[^”]+”(?:, “[^”]+”)*))?/g;

describe("docs/assurance/conformance.md", () => {
  it("names tests that exist, by file and title, for each statement of the product's own specification", () => {
    const page = readFileSync("docs/assurance/conformance.md", "utf8");
    const [section = ""] = (page.split(`\n### ${SPECIFICATION}\n`)[1] ?? "").split("\n### ");
    const rows = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| statement "));
    expect(rows.length).toBeGreaterThan(15);
    const wrong = rows.filter((row) => {
      const named = [...row.matchAll(NAMED)].map(([, file = "", titles = ""]) => {
        const text = readFileSync(`test/${file}`, "utf8");
        const all = [...titles.matchAll(/“([^”]+)”/g)];
        return all.length > 0 && all.every(([, title]) => text.includes(JSON.stringify(title)));
      });
      return named.length === 0 || named.includes(false);
    });
    expect(wrong).toEqual([]);
  });
});

it.each(globSync("docs/assurance/*.md"))("%s names only test files that exist", (page) => {
  const named = [...readFileSync(page, "utf8").matchAll(NAMED)].map(([, file = ""]) => file);
  expect(named.filter((file) => !existsSync(`test/${file}`))).toEqual([]);
});
