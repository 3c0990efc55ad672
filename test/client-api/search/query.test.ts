import { parseQuery, toMatchExpression } from "#client-api/search/query.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../support/any-text.ts";

describe("parseQuery", () => {
  it.each([
    ["quarterly plan", ["quarterly", "plan"], []],
    ['"quarterly plan" -draft', ["quarterly plan"], ["draft"]],
    ['-"old plan" new', ["new"], ["old plan"]],
    ['"left open', ["left open"], []],
    ["year-end", ["year end"], []],
    ["a  \t b\n", ["a", "b"], []],
    ["- -- -- x", ["x"], []],
    ["", [], []],
    ["?!*", [], []],
    ["Größe 検索 5₂", ["Größe", "検索", "5₂"], []],
    ["plan) OR acl:(p2", ["plan", "OR", "acl p2"], []],
    ["{acl}:p1", ["acl p1"], []],
  ])("%j", (text, wanted, unwanted) => {
    expect(parseQuery(text)).toEqual({ wanted, unwanted });
  });

  it("reads a bounded number of terms", () => {
    const { wanted, unwanted } = parseQuery("a -b ".repeat(400));
    expect(wanted.length + unwanted.length).toBe(32);
  });

  it("yields nothing but words with single spaces between them, whatever was typed", () => {
    const operator = fc.constantFrom(...Array.from('"-():*^{}+ \t\u0000'), "p1", "acl", "NEAR", "OR");
    const typed = fc.array(fc.oneof(operator, anyText)).map((parts) => parts.join(""));
    fc.assert(
      fc.property(typed, (text) => {
        const { wanted, unwanted } = parseQuery(text);
        for (const term of [...wanted, ...unwanted])
          expect(term).toMatch(/^[\p{L}\p{N}\p{M}]+(?: [\p{L}\p{N}\p{M}]+)*$/u);
      }),
    );
  });
});

describe("toMatchExpression", () => {
  it("quotes every term and holds all of them to the columns of text", () => {
    expect(toMatchExpression({ wanted: ["plan"], unwanted: [] })).toBe('{title body} : (("plan"))');
    expect(toMatchExpression({ wanted: ["a b", "OR"], unwanted: ["c", "d e"] })).toBe(
      '{title body} : (("a b" AND "OR") NOT ("c" OR "d e"))',
    );
  });

  it("is nothing where nothing is wanted: what is left out alone finds no document", () => {
    expect(toMatchExpression({ wanted: [], unwanted: [] })).toBeUndefined();
    expect(toMatchExpression({ wanted: [], unwanted: ["draft"] })).toBeUndefined();
  });
});
