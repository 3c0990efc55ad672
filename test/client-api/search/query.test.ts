import { parseQuery, TEXT_COLUMNS } from "#client-api/search/d1-query.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../support/any-text.ts";

/** Each clause in short: its sign, field and value, expression. */
function inShort(text: string): string[] {
  return parseQuery(text).map(({ isUnwanted, text: term, filter }) =>
    [isUnwanted ? "-" : "", filter ? `${filter.field}=${filter.values[0]?.whole}|` : "", term?.match].join(""),
  );
}

describe("parseQuery", () => {
  it.each([
    ["quarterly plan ", ['("quarterly")', '("plan")']],
    ['"quarterly plan" -draft', ['("quarterly plan")', '-("draft")']],
    ['-"old plan" new ', ['-("old plan")', '("new")']],
    ['"left open', ['("left open")']],
    ["year-end ", ['("year end")']],
    ["a  \t b\n", ['("a")', '("b")']],
    ["- -- -- x", ['("x")']],
    ["", []],
    ["?!*", []],
    ["Größe 検索 5₂ ", ['("Größe" OR "Grösse")', '("検 索")', '("52")']],
    ["機械学習", ['("機 械")', '("学 習")']],
    ["-機械学習", ['-("機 械 学 習")']],
    ["plan) OR acl:(p2", ['("plan")', '("OR")', 'acl=(p2|("acl p2")']],
    ["{acl}:p1 ", ['("acl p1")']],
  ])("%j", (text, clauses) => {
    expect(inShort(text)).toEqual(clauses);
  });

  it.each([
    ["status:approved", ['status=approved|("status approved")']],
    ['Status:"In Review"', ['status=in review|("Status In Review")']],
    ["-status:draft x ", ['-status=draft|("status draft")', '("x")']],
    ["status: x ", ['("status")', '("x")']],
    ["http://x.example/ ", ['http=//x.example/|("http x example")']],
    ['from:"Ada Marlow" x ', ['from=ada marlow|("from Ada Marlow")', '("x")']],
  ])("reads an operator, and the words that it is should there be no such field: %j", (text, clauses) => {
    expect(inShort(text)).toEqual(clauses);
  });

  it.each([
    ["pl", '("pl" OR "pl" *)', null],
    ["Pläne", '("Pläne" OR "plane" *)', null],
    ["budget", '("budget")', "budget"],
    ["p", '("p")', null],
    ["pl ", '("pl")', null],
    ['"pl"', '("pl")', null],
    ["year-en", '("year en")', null],
    ["検", '("検")', null],
  ])("takes the last word for the beginning of one, unless it is finished: %j", (text, match, beginning) => {
    expect(parseQuery(text)[0]?.text).toMatchObject({ match, beginning });
  });

  it("finds both spellings of ß, and an i without its dot", () => {
    expect(inShort("Straße ")).toEqual(['("Straße" OR "Strasse")']);
    expect(inShort("strasse ")).toEqual(['("strasse" OR "straße")']);
    expect(inShort("ısparta ")).toEqual(['("ısparta" OR "isparta")']);
  });

  it("holds to the columns of text whatever looks like an id, where it ranks and where it is counted", () => {
    for (const text of [
      "p1 ",
      "P12 ",
      "f3 ",
      "s0 ",
      "p",
      "p1",
      '"plan p1"',
      "x-s2 ",
      "p\u03022 ",
      "s\u03020 ",
      '"plan f\u03041"',
      "p\u0302",
    ]) {
      const [clause] = parseQuery(text);
      for (const expression of [clause?.text?.ranking, ...(clause?.text?.probes ?? [])])
        expect([text, expression?.startsWith(`${TEXT_COLUMNS} : (`)]).toEqual([text, true]);
    }
  });

  it("reads a bounded number of words", () => {
    const words = (text: string) => parseQuery(text).flatMap(({ text: term }) => term?.match.split(" ") ?? []).length;
    expect(words("a -b ".repeat(400))).toBe(24);
    expect(words(`"${"a ".repeat(400)}"`)).toBe(24);
    expect(words(`${"a-".repeat(20)} ${"b-".repeat(20)} c `)).toBe(24);
  });

  it("yields nothing but words in quotes, whatever was typed", () => {
    const operator = fc.constantFrom(...Array.from('"-():*^{}+ \t\u0000'), "p1", "acl", "NEAR", "OR", "acl:", "title:");
    const typed = fc.array(fc.oneof(operator, anyText)).map((parts) => parts.join(""));
    const quoted = String.raw`"[\p{L}\p{N}\p{M}]+(?: [\p{L}\p{N}\p{M}]+)*"`;
    const expression = new RegExp(
      String.raw`^(?:\{title body keywords metadata\} : )?\(?${quoted}(?: \*)?(?: OR ${quoted}(?: \*)?)*\)?$`,
      "u",
    );
    fc.assert(
      fc.property(typed, (text) => {
        for (const { text: term } of parseQuery(text)) {
          if (term === null) throw new Error("what is typed is text");
          for (const one of [term.match, term.ranking, ...term.probes]) expect(one).toMatch(expression);
        }
      }),
    );
  });
});
