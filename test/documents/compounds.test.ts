import { parseQuery } from "#client-api/search/query.ts";
import { compoundsIn, symbolIn } from "#documents/compounds.ts";
import { indexable, wordsIn } from "#documents/words.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, seerOf, World } from "./world.ts";

describe("words that a text has beside those of its letters", () => {
  it.each([
    ["deploy node.js today", ["nodejs"]],
    ["set max_retry_count", ["maxretrycount"]],
    ["maxRetryCount of HTTPServerError", ["max", "retry", "count", "http", "server", "error"]],
    ["JavaScript and iPhone", []],
    ["they don’t e-mail O'Reilly", ["dont", "email", "oreilly"]],
    ["a well-known, half-finished plan. Done", []],
    ["C++, C# and F#, not C", ["c++", "c#", "f#"]],
    [".NET and ASP.NET", [".net", "aspnet"]],
    ["from v2.14.3 to 3.0", ["2.14", "2.14.3", "3.0"]],
    ["ship it 🚀✅", ["🚀", "✅"]],
    ["1,500.00 or 2 000 000 or €1.299,00, not 12,50", ["500.00", "1.299", "1500", "2000000", "1299"]],
    ["aGVsbG8gd29ybGQhIHRoaXMgaXMgYSB0ZXN0IG9mIGVuY29kZWQ", []],
  ])("are in %j: %j", (text, words) => {
    expect(compoundsIn(text).map(({ word }) => word)).toEqual(words);
    for (const { word, start, end } of compoundsIn(text)) {
      expect([word, wordsIn(text.slice(start, end)).join("")].map((one) => one.replace(/\W/g, ""))[1]).toContain(
        word.replace(/\W/g, ""),
      );
    }
  });

  it("are looked for no longer than a text of 5,000 of them", () => {
    const joined = compoundsIn("aB ".repeat(60_000));
    expect(joined.length).toBeLessThanOrEqual(5010);
    expect(compoundsIn("a.".repeat(100_000)).length).toBeLessThanOrEqual(5010);
  });

  it.each([
    ["C++", "c++"],
    ["(.NET)", ".net"],
    ["v2.3,", "2.3"],
    ["don't", "dont"],
    ["❤️", "❤"],
    ["node.js", null],
    ["plan.", null],
    ["company's", null],
  ])("are asked for by %j: %j", (typed, word) => {
    expect(symbolIn(typed)).toBe(word);
  });

  it("and the letters behind an apostrophe are asked for by nobody", () => {
    expect(parseQuery("company's plan ").map(({ text }) => text?.words)).toEqual([["company"], ["plan"]]);
  });
});

it("a name is found however it is written", () => {
  const world = new World();
  const texts = {
    dot: "node.js",
    one: "nodejs",
    camel: "maxRetryCount",
    snake: "max_retry_count",
    cpp: "C++",
    c: "C lang",
  };
  for (const [id, body] of Object.entries(texts)) {
    putDocument(world.store, aDocument(id, { title: "A", body: indexable(body) }), 1, 0);
  }
  const found = (query: string) => world.all(seerOf("ben"), { query }).toSorted();
  for (const query of ["nodejs ", "node.js "]) expect(found(query)).toEqual(["dot", "one"]);
  for (const query of ["maxRetryCount ", "max_retry_count ", "max retry count ", "retry "]) {
    expect([query, found(query)]).toEqual([query, ["camel", "snake"]]);
  }
  expect(found("c++ ")).toEqual(["cpp"]);
  world.store.close();
});
