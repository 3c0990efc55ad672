import { ByteBoundedMap } from "#platform/byte-bounded-map.ts";
import { describe, expect, it } from "vitest";

const KIB = 1024;
const ENTRY_BYTES = 1000;

describe("a map that is bounded by bytes", () => {
  it.each([
    ["one character fewer than fits", -1, ["a", "b"]],
    ["what just fits", 0, ["a", "b"]],
    ["one character more than fits", 1, ["b"]],
  ])("keeps what was there before, up to its limit: %s", (_which, more, kept) => {
    const map = new ByteBoundedMap<string, string>(2 * ENTRY_BYTES + 2 * KIB);
    map.set("a", "first", KIB / 2);
    map.set("b", "second", KIB / 2 + more);
    expect(["a", "b"].filter((key) => map.get(key) !== undefined)).toEqual(kept);
    expect(map.bytes).toBe(kept.length * ENTRY_BYTES + kept.length * KIB + 2 * more);
  });

  it.each([
    ["as large as the map", 0, "b"],
    ["larger than the map", 1, "a"],
  ])("makes room for an entry only if it can be kept: %s", (_which, more, kept) => {
    const map = new ByteBoundedMap<string, string>(ENTRY_BYTES + 2 * KIB);
    map.set("a", "small", 0);
    map.set("b", "large", KIB + more);
    expect(["a", "b"].filter((key) => map.get(key) !== undefined)).toEqual([kept]);
  });

  it("counts an entry that is set again only once, and forgets one that has become too large", () => {
    const map = new ByteBoundedMap<string, number>(10 * KIB);
    for (let time = 0; time < 1000; time += 1) map.set("a", time, time % 100);
    expect([map.get("a"), map.bytes]).toEqual([999, ENTRY_BYTES + 198]);
    map.set("a", 0, 5 * KIB);
    expect([map.get("a"), map.bytes]).toEqual([undefined, 0]);
  });

  it("never counts below zero or beyond its limit, whatever is set and deleted", () => {
    const map = new ByteBoundedMap<number, number>(64 * KIB);
    for (let turn = 0; turn < 10_000; turn += 1) {
      map.set((turn * 7919) % 501, turn, (turn * 104_729) % (12 * KIB));
      if (turn % 3 === 0) map.delete((turn * 31) % 501);
      expect(map.bytes).toBeGreaterThanOrEqual(0);
      expect(map.bytes).toBeLessThanOrEqual(64 * KIB);
    }
    for (let key = 0; key < 501; key += 1) map.delete(key);
    expect(map.bytes).toBe(0);
  });
});
