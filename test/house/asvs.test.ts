import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const PAGE = readFileSync("docs/assurance/asvs.md", "utf8");

const ROWS = [...PAGE.matchAll(/^\| (\d+\.\d+\.\d+) \| ([123]) \| (met|delegated|n\/a|open) \| .+ \|$/gm)].map(
  ([, requirement = "", level = "", state = ""]) => ({ requirement, level: Number(level), state }),
);

/** Requirements of ASVS 5.0.0, by chapter. */
const REQUIREMENTS = { 6: 47, 7: 19, 8: 13, 9: 7, 10: 36 };

describe("docs/assurance/asvs.md", () => {
  it("has exactly one row for every requirement of the five chapters", () => {
    expect(new Set(ROWS.map(({ requirement }) => requirement)).size).toBe(ROWS.length);
    const counts = Object.keys(REQUIREMENTS).map((chapter) => [
      chapter,
      ROWS.filter(({ requirement }) => requirement.startsWith(`${chapter}.`)).length,
    ]);
    expect(Object.fromEntries(counts)).toEqual(REQUIREMENTS);
  });

  it("leaves no requirement of level 1 or 2 open", () => {
    expect(ROWS.filter(({ state, level }) => state === "open" && level < 3)).toEqual([]);
  });
});
