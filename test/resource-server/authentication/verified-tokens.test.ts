import { VerifiedTokens } from "#resource-server/authentication/verified-tokens.ts";
import { describe, expect, it } from "vitest";

/** The bounds of an isolate's memory, as ../src states them. */
const TOKENS_MAX = 5000;
const CHARACTERS_MAX = 8_000_000;

/** A token of a given length that no other is. */
function token(n: number, length: number): string {
  return String(n).padStart(length, "x");
}

/** Which of the first `count` tokens of a length are remembered. */
function remembered(tokens: VerifiedTokens<number>, count: number, length: number): number[] {
  return Array.from({ length: count }, (_, n) => n).filter((n) => tokens.get(token(n, length)) !== undefined);
}

describe("VerifiedTokens", () => {
  it("recognises a token whole: no other spelling, beginning or end of it", () => {
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

  it("holds a bounded number of tokens, the oldest forgotten first", () => {
    const tokens = new VerifiedTokens<number>();
    for (let n = 0; n < TOKENS_MAX; n += 1) tokens.add(token(n, 8), n);
    expect(remembered(tokens, TOKENS_MAX, 8)).toHaveLength(TOKENS_MAX);
    for (let n = TOKENS_MAX; n < TOKENS_MAX + 3; n += 1) tokens.add(token(n, 8), n);
    const held = remembered(tokens, TOKENS_MAX + 3, 8);
    expect([held.length, held[0], held.at(-1)]).toEqual([TOKENS_MAX, 3, TOKENS_MAX + 2]);
  });

  it("holds a bounded number of characters, however few tokens they are", () => {
    const length = 16_384;
    const fitting = Math.floor(CHARACTERS_MAX / length);
    const tokens = new VerifiedTokens<number>();
    for (let n = 0; n < fitting; n += 1) tokens.add(token(n, length), n);
    expect(remembered(tokens, fitting, length)).toHaveLength(fitting);
    for (let n = fitting; n < fitting + 2; n += 1) tokens.add(token(n, length), n);
    const held = remembered(tokens, fitting + 2, length);
    expect([held.length, held[0], held.at(-1)]).toEqual([fitting, 2, fitting + 1]);
  });

  it("makes room for one large token by as many small ones as it takes", () => {
    const tokens = new VerifiedTokens<number>();
    for (let n = 0; n < 4000; n += 1) tokens.add(token(n, 1000), n);
    tokens.add(token(0, CHARACTERS_MAX - 1_000_000), -1);
    expect(remembered(tokens, 4000, 1000)).toHaveLength(1000);
    expect(tokens.get(token(3999, 1000))).toBe(3999);
  });

  it("counts a token once that is added again, as the youngest, with what is known of it now", () => {
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

  it("has room again for what was removed, and removes nothing twice", () => {
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
