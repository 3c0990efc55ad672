import { readRepeatedly, SEARCH_MILLISECONDS_MAX } from "#documents/deadline.ts";
import { inTurns, NextTurn } from "#documents/find/reading.ts";
import { within } from "#platform/patience.ts";
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

describe("a read of an object", () => {
  async function readsOf(failure: object, failures: number): Promise<number> {
    let reads = 0;
    const outcome = readRepeatedly(async () => {
      reads += 1;
      if (reads <= failures) throw Object.assign(new Error("the object went away"), failure);
    }).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect((await outcome) === undefined).toBe(reads > failures);
    return reads;
  }

  it("is made again if the platform says that this may help, three times in all", async () => {
    expect(await readsOf({ retryable: true }, 1)).toBe(2);
    expect(await readsOf({ retryable: true, overloaded: false, remote: true }, 2)).toBe(3);
    expect(await readsOf({ retryable: true }, Infinity)).toBe(3);
  });

  it("is not made again if the object is overloaded, or failed by itself", async () => {
    expect(await readsOf({ retryable: true, overloaded: true }, 1)).toBe(1);
    expect(await readsOf({ overloaded: true }, 1)).toBe(1);
    expect(await readsOf({ remote: true }, 1)).toBe(1);
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
    expect(turn).toHaveBeenCalledTimes(SEARCH_MILLISECONDS_MAX / 1000 + 1);
  });
});
