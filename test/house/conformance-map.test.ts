import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const NAMED = new Set(
  [...readFileSync("docs/conformance.md", "utf8").matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = ""]) => path),
);

describe("docs/conformance.md", () => {
  it("names only test files that exist", () => {
    expect([...NAMED].filter((path) => !existsSync(`test/${path}`))).toEqual([]);
  });

  it("names every file of test/conformance/", () => {
    const files = readdirSync("test/conformance").map((file) => `conformance/${file}`);
    expect(files.filter((path) => !NAMED.has(path))).toEqual([]);
  });
});
