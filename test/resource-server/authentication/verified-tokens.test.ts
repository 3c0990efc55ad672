import { verifiedTokens } from "#resource-server/authentication/verified-tokens.ts";
import { describe, expect, it } from "vitest";

describe("the memory for verified tokens", () => {
  it("finds only the exact token: no other spelling, shorter or longer text", () => {
    const tokens = verifiedTokens<string>();
    tokens.set("eyJ.eyJ.abc", "ben", 11);
    expect(tokens.get("eyJ.eyJ.abc")).toBe("ben");
    for (const other of [
      "eyJ.eyJ.ab",
      "eyJ.eyJ.abcd",
      "eyJ.eyJ.ABC",
      "eyJ.eyJ.abc=",
      " eyJ.eyJ.abc",
      "",
      "__proto__",
    ]) {
      expect(tokens.get(other)).toBeUndefined();
    }
  });

  it.each([
    ["short ones", 800, 6000],
    ["of 16 KB", 16_384, 400],
  ])("has room for thousands of usual tokens, or hundreds of the largest: %s", (_which, length, count) => {
    const tokens = verifiedTokens<number>();
    for (let n = 0; n < 2 * count; n += 1) tokens.set(String(n).padStart(length, "x"), n, length);
    const held = Array.from({ length: 2 * count }, (_, n) => tokens.get(String(n).padStart(length, "x")));
    expect(held.filter((n) => n !== undefined).length).toBeGreaterThan(count);
    expect([held[0], held.at(-1)]).toEqual([undefined, 2 * count - 1]);
    expect(tokens.bytes).toBeLessThanOrEqual(16_000_000);
  });
});
