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

it("an excerpt is made of a text with a word that is as long as the text", () => {
  const word = "x".repeat(150_000);
  const sought = {
    words: new Map([
      [word, 0],
      ["dogs", 0],
    ]),
    phrases: [],
  };
  expect(excerptOf(`${word} Dogs are welcome.`, sought, 200).text).toMatch(/^….*Dogs are welcome\.$/);
});

it.each(["c#", "c++", ".net", "2.3", "🚀"])("an excerpt of a long text has the sign of %s", (word) => {
  const filler = "Teams review their practices every quarter. ".repeat(1000);
  const sought = { words: new Map([[word, 0]]), phrases: [] };
  expect(excerptOf(`${filler}We like ${word} here. ${filler}`, sought, 200).text).toContain(`We like ${word} here.`);
});

it("an excerpt is of the rare word of a text that has another one everywhere", () => {
  const filler = "🚀 a ".repeat(20_000);
  const sought = {
    words: new Map([
      ["🚀", 0],
      ["a", 1],
      ["dogs", 2],
    ]),
    phrases: [],
  };
  expect(excerptOf(`${filler}Dogs 🚀 are welcome. ${filler}`, sought, 200).text).toContain("Dogs 🚀 are welcome.");
});
