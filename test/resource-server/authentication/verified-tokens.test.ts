import { VerifiedTokens } from "#resource-server/authentication/verified-tokens.ts";
import { describe, expect, it } from "vitest";

/** Limits of the cache, which must match src/resource-server. */
const TOKENS_MAX = 5000;
const CHARACTERS_MAX = 8_000_000;

/** Returns the n-th of different tokens of a length. */
function token(n: number, length: number): string {
  return String(n).padStart(length, "x");
}

/** Returns which of the first `count` tokens of a length are cached. */
function remembered(tokens: VerifiedTokens<number>, count: number, length: number): number[] {
  return Array.from({ length: count }, (_, n) => n).filter((n) => tokens.get(token(n, length)) !== undefined);
}

describe("VerifiedTokens", () => {
  it("finds only the exact token: no other spelling, shorter or longer text", () => {
    const tokens = new VerifiedTokens<string>();
    tokens.add("eyJ.eyJ.abc", "ben");
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

  it("keeps at most 5000 tokens, and drops the oldest first", () => {
    const tokens = new VerifiedTokens<number>();
    for (let n = 0; n < TOKENS_MAX; n += 1) tokens.add(token(n, 8), n);
    expect(remembered(tokens, TOKENS_MAX, 8)).toHaveLength(TOKENS_MAX);
    for (let n = TOKENS_MAX; n < TOKENS_MAX + 3; n += 1) tokens.add(token(n, 8), n);
    const held = remembered(tokens, TOKENS_MAX + 3, 8);
    expect([held.length, held[0], held.at(-1)]).toEqual([TOKENS_MAX, 3, TOKENS_MAX + 2]);
  });

  it("keeps at most 8 million characters, however few tokens they are", () => {
    const length = 16_384;
    const fitting = Math.floor(CHARACTERS_MAX / length);
    const tokens = new VerifiedTokens<number>();
    for (let n = 0; n < fitting; n += 1) tokens.add(token(n, length), n);
    expect(remembered(tokens, fitting, length)).toHaveLength(fitting);
    for (let n = fitting; n < fitting + 2; n += 1) tokens.add(token(n, length), n);
    const held = remembered(tokens, fitting + 2, length);
    expect([held.length, held[0], held.at(-1)]).toEqual([fitting, 2, fitting + 1]);
  });

  it("drops as many small tokens as needed for a large one", () => {
    const tokens = new VerifiedTokens<number>();
    for (let n = 0; n < 4000; n += 1) tokens.add(token(n, 1000), n);
    tokens.add(token(0, CHARACTERS_MAX - 1_000_000), -1);
    expect(remembered(tokens, 4000, 1000)).toHaveLength(1000);
    expect(tokens.get(token(3999, 1000))).toBe(3999);
  });

  it("counts a token that is added again only once, as the newest, with its new value", () => {
    const tokens = new VerifiedTokens<string>();
    const length = CHARACTERS_MAX / 4;
    for (let n = 0; n < 4; n += 1) tokens.add(token(n, length), "first");
    for (let again = 0; again < 5; again += 1) tokens.add(token(0, length), "again");
    expect([0, 1, 2, 3].map((n) => tokens.get(token(n, length)))).toEqual(["again", "first", "first", "first"]);
    tokens.add(token(4, length), "fifth");
    expect([0, 1, 2, 3, 4].map((n) => tokens.get(token(n, length)))).toEqual([
      "again",
      undefined,
      "first",
      "first",
      "fifth",
    ]);
  });

  it("frees the room of a removed token, but only once", () => {
    const tokens = new VerifiedTokens<number>();
    const length = CHARACTERS_MAX / 4;
    for (let n = 0; n < 4; n += 1) tokens.add(token(n, length), n);
    for (let again = 0; again < 3; again += 1) tokens.remove(token(3, length));
    tokens.add(token(4, length), 4);
    expect(remembered(tokens, 5, length)).toEqual([0, 1, 2, 4]);
    tokens.add(token(5, length), 5);
    expect(remembered(tokens, 6, length)).toEqual([1, 2, 4, 5]);
  });
});
