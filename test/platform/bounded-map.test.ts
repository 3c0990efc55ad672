import { BoundedMap } from "#platform/bounded-map.ts";
import { describe, expect, it } from "vitest";

describe("a bounded map", () => {
  it("keeps only the newest entries, up to its limit", () => {
    const map = new BoundedMap<number, string>(3);
    for (let key = 0; key < 10_000; key += 1) map.set(key, `value ${key}`);
    expect([9996, 9997, 9998, 9999].map((key) => map.get(key))).toEqual([
      undefined,
      "value 9997",
      "value 9998",
      "value 9999",
    ]);
  });

  it("counts an entry that is set again only once, and as the newest", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.set("a", 3);
    map.set("c", 4);
    expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([3, undefined, 4]);
  });

  it("keeps fewer entries next to one with a lower limit, and always keeps that one", () => {
    const map = new BoundedMap<number, string>(4);
    const held = () => [1, 2, 3, 4, 5].filter((key) => map.get(key) !== undefined);
    for (const key of [1, 2, 3, 4]) map.set(key, "small");
    map.set(5, "large", 2);
    expect(held()).toEqual([4, 5]);
    map.set(1, "small");
    expect(held()).toEqual([1, 4, 5]);
    map.set(2, "huge", 1);
    expect(held()).toEqual([2]);
    for (const key of [1, 3, 4, 5]) map.set(key, "small", 100);
    expect(held()).toEqual([1, 3, 4, 5]);
  });

  it("deletes an entry, or clears all", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.delete("a");
    expect(map.get("a")).toBeUndefined();
    map.clear();
    expect(map.get("b")).toBeUndefined();
  });
});
