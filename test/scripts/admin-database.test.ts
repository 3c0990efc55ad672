import { describe, expect, it } from "vitest";
import { openD1 } from "../support/node/admin-database.ts";

describe("the D1 stand-in for tests in Node", () => {
  const database = openD1();

  it.each([undefined, NaN, Infinity, new Uint8Array(1), {}])(
    "refuses to bind %s, which would be stored as something else",
    (value) => {
      expect(() => database.prepare("SELECT ?1").bind(value)).toThrow(TypeError);
    },
  );

  it("returns the first row, or one column of it", async () => {
    const statement = database.prepare("SELECT ?1 AS word, ?2 AS none").bind("one", null);
    expect(await statement.first()).toEqual({ word: "one", none: null });
    expect(await statement.first("word")).toBe("one");
    await expect(statement.first("other")).rejects.toThrow("other");
    expect(await database.prepare("SELECT 1 AS word WHERE false").first("word")).toBeNull();
  });
});
