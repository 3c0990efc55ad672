import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const PAGE = readFileSync("docs/assurance/fapi.md", "utf8");

const ROWS = [...PAGE.matchAll(/^\| (5\.[\d.]+-\d+) \| [^|]+ \| (?:met|delegated|not met|n\/a) \| .+ \|$/gm)].map(
  ([, requirement = ""]) => requirement,
);

/** Requirements of the profile by clause. */
const REQUIREMENTS = { "5.3.2.1": 14, "5.3.2.2": 14, "5.3.4": 5, "5.4.1": 4 };

describe("docs/assurance/fapi.md", () => {
  it("has exactly one row for every requirement of the two roles", () => {
    expect(new Set(ROWS).size).toBe(ROWS.length);
    const counts = Object.keys(REQUIREMENTS).map((clause) => [
      clause,
      ROWS.filter((requirement) => requirement.startsWith(`${clause}-`)).length,
    ]);
    expect(Object.fromEntries(counts)).toEqual(REQUIREMENTS);
  });
});
