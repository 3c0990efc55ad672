import { ANSWER_MILLISECONDS_MAX, within } from "#documents/deadline.ts";
import { inTurns, NextTurn } from "#documents/find/reading.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a call with a deadline", () => {
  it("is given up exactly then if it has not returned", async () => {
    const settled = vi.fn();
    const call = within(4500, "did not answer in time", new Promise(() => undefined)).catch(settled);
    await vi.advanceTimersByTimeAsync(4499);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await call;
    expect(settled).toHaveBeenCalledWith(new Error("did not answer in time"));
  });

  it("returns or fails before that, and leaves no timer", async () => {
    expect(await within(4500, "late", Promise.resolve("answer"))).toBe("answer");
    await expect(within(4500, "late", Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a search in several turns", () => {
  it("ends when its caller no longer waits", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const turn = vi.fn(() => {
      vi.advanceTimersByTime(1000);
      if (turn.mock.calls.length < 20) throw new NextTurn();
    });
    await expect(inTurns(turn)).rejects.toThrow("nobody waits");
    expect(turn).toHaveBeenCalledTimes(ANSWER_MILLISECONDS_MAX / 1000 + 1);
  });
});
