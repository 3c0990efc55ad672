import { MinuteCount } from "#documents/upkeep/minute-count.ts";
import { describe, expect, it } from "vitest";

describe("a count per minute", () => {
  it("is of this minute or the last, and forgets earlier ones", () => {
    const count = new MinuteCount();
    for (let at = 0; at < 5; at += 1) count.note(60);
    expect(count.perMinute(61)).toBe(5);
    count.note(120);
    expect([count.perMinute(121), count.perMinute(181), count.perMinute(240)]).toEqual([5, 1, 0]);
  });
});
