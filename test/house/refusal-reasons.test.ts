import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const REGISTRY = "src/protocol/refusal-reasons.ts";

const REASONS = [...readFileSync(REGISTRY, "utf8").matchAll(/^ {2}\| "(\w+)"/gm)].map(([, reason = ""]) => reason);

describe("the reasons of refusals", () => {
  it("are each listed once in the registry, and all of them are used", () => {
    const code = globSync("src/**/*.{ts,tsx}")
      .filter((path) => path !== REGISTRY)
      .map((path) => readFileSync(path, "utf8"))
      .join("\n");
    expect(REASONS.length).toBeGreaterThan(200);
    expect(new Set(REASONS).size).toBe(REASONS.length);
    expect(REASONS.filter((reason) => !new RegExp(`\\b${reason}\\b`).test(code))).toEqual([]);
  });
});
