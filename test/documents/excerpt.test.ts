import { excerptOf } from "#documents/find/excerpt.ts";
import { expect, it } from "vitest";

it("an excerpt is from the best passage of a long text, however far behind it stands", () => {
  const filler = "Teams review their practices every quarter. ".repeat(3000);
  const text = `${filler}Dogs are welcome in the Berlin office. ${filler}`;
  const sought = {
    words: new Map([
      ["dogs", 0],
      ["office", 1],
      ["teams", 2],
    ]),
    phrases: [],
  };
  const { text: shown, ranges } = excerptOf(text, sought, 200);
  expect(ranges.map(([from, to]) => shown.slice(from, to))).toEqual(expect.arrayContaining(["Dogs", "office"]));
});
