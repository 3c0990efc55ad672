import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("the start of the Worker (docs/performance.md)", () => {
  it("compiles no Unicode property pattern: unicodePattern makes each when it is first used", () => {
    const literal = /\/(?:[^/\n\\]|\\.)*\\p\{(?:[^/\n\\]|\\.)*\/[a-z]*[uv]/;
    const found = globSync("src/**/*.{ts,tsx}").flatMap((path) =>
      readFileSync(path, "utf8")
        .split("\n")
        .flatMap((line, index) => (literal.test(line) && !line.includes("String.raw") ? [`${path}:${index + 1}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
