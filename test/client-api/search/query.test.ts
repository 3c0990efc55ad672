import { parseQuery } from "#client-api/search/query.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../support/any-text.ts";

/**
 * Describes each clause: its sign, its field and value, and its words, in quotes if quoted, with a star if unfinished.
 */
function inShort(text: string): string[] {
  return parseQuery(text).map(({ isUnwanted, text: sought, filter }) => {
    const words = sought?.words.join(" ") ?? "";
    const shown = sought?.isQuoted ? `"${words}"` : words + (sought?.isUnfinished ? "*" : "");
    return [isUnwanted ? "-" : "", filter ? `${filter.field}=${filter.values[0]?.whole}|` : "", shown].join("");
  });
}

/** A word, or a sign that counts as one: a pictograph, C++, C#, .NET. */
const WORD = /^(?:[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}|[\p{L}\p{M}]+(?:\+\+|#)|\.[a-z][a-z0-9]*)$/u;

describe("parseQuery", () => {
  it.each([
    ["quarterly plan ", ["quarterly", "plan"]],
    ['"quarterly plan" -draft', ['"quarterly plan"', "-draft"]],
    ['-"old plan" new ', ['-"old plan"', "new"]],
    ['"left open', ['"left open"']],
    ["year-end ", ["year end"]],
    ["git push --force -f origin -draft ", ["git", "push", "force", "f", "origin", "-draft"]],
    ["a  \t b\n", ["a", "b"]],
    ["- -- -- x", ["x*"]],
    ["", []],
    ["?!*", []],
    ["Größe 検索 5₂ ", ["grosse", "検 索", "52"]],
    ["機械学習", ["機 械", "学 習"]],
    ["-機械学習", ["-機 械 学 習"]],
    ["plan) OR acl:(p2", ["plan", "or", "acl=(p2|acl p2"]],
    ["{acl}:p1 ", ["acl p1"]],
  ])("splits a query into clauses: %j", (text, clauses) => {
    expect(inShort(text)).toEqual(clauses);
  });

  it.each([
    ["status:approved", ["status=approved|status approved"]],
    ['Status:"In Review"', ['status=in review|"status in review"']],
    ["-status:draft x ", ["-status=draft|status draft", "x"]],
    ["status: x ", ["status", "x"]],
    ["http://x.example/ ", ["http=//x.example/|http x example"]],
    ["hr-emeastatus:approved", ["hr-emeastatus=approved|hr emeastatus approved"]],
    ["-hr.emeastatus:draft x ", ["-hr.emeastatus=draft|hr emeastatus draft", "x"]],
    ['hr_emea-note:"two words"', ['hr_emea-note=two words|"hr emea note two words"']],
    ['from:"Ada Marlow" x ', ['from=ada marlow|"from ada marlow"', "x"]],
  ])("reads an operator, and the words that it is if there is no such field: %j", (text, clauses) => {
    expect(inShort(text)).toEqual(clauses);
  });

  it.each([
    ["pl", ["pl*"]],
    ["Pläne", ["plane*"]],
    ["pl ", ["pl"]],
    ['"pl"', ['"pl"']],
    ["-pl", ["-pl"]],
    ["year-en", ["year en"]],
  ])("takes the last word as the beginning of one, unless it is finished: %j", (text, clauses) => {
    expect(inShort(text)).toEqual(clauses);
  });

  it("folds every spelling of a word into one", () => {
    expect(inShort("Straße ")).toEqual(inShort("STRASSE "));
    expect(inShort("ısparta ")).toEqual(inShort("Isparta "));
  });

  it("reads a limited number of words", () => {
    const words = (text: string) => parseQuery(text).flatMap(({ text: sought }) => sought?.words ?? []);
    expect(words("a -bee ".repeat(400)).filter((word) => word === "bee")).toHaveLength(24);
    expect(words(`"${"a ".repeat(400)}"`)).toHaveLength(24);
    expect(words("a ".repeat(1000))).toHaveLength(400);
  });

  it("reads a sign and a number after a name as the words that they are, as well as a field", () => {
    const words = (text: string) => parseQuery(text).map(({ text: sought }) => sought?.words.join(" "));
    expect(words("maxRetry.ts:42 ")).toEqual(words("maxRetry.ts,42 "));
    const fields = (text: string) => parseQuery(text).filter(({ filter }) => filter !== null);
    expect(fields("a.b:c ".repeat(400))).toHaveLength(24);
    expect(words("a.b:c ".repeat(100))).toHaveLength(100);
  });

  it("reads a question of several sentences to its end", () => {
    const question = `${"What is there about the history of the thing? ".repeat(20)}I mean elasticity`;
    expect(parseQuery(question).at(-1)?.text?.words).toEqual(["elasticity"]);
  });

  it("yields only folded words and signs, whatever was typed", () => {
    const operator = fc.constantFrom(...Array.from('"-():*^{}+ \t\u0000'), "p1", "acl", "NEAR", "OR", "acl:", "title:");
    const typed = fc.array(fc.oneof(operator, anyText)).map((parts) => parts.join(""));
    fc.assert(
      fc.property(typed, (text) => {
        for (const { text: sought } of parseQuery(text)) {
          for (const word of sought?.words ?? []) expect(word).toMatch(WORD);
        }
      }),
    );
  });
});
