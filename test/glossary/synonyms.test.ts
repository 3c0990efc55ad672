import { parseQuery } from "#client-api/search/query.ts";
import { type GlossaryEntry, requireEntries } from "#glossary/glossary.ts";
import { commonTerms } from "#glossary/common-terms.ts";
import { Synonyms } from "#glossary/synonyms.ts";
import type { Language } from "#documents/languages.ts";
import { describe, expect, it } from "vitest";

const entry = (term: string, meaning: string, more: Partial<GlossaryEntry> = {}): GlossaryEntry => ({
  term,
  meaning,
  isTwoWay: true,
  language: null,
  ...more,
});

describe("what the words of a query are also called", () => {
  const own = [
    entry("PTO", "paid time off"),
    entry("k8s", "the cluster", { isTwoWay: false }),
    entry("IT", "information technology"),
    entry("Urlaub", "Ferien", { language: "de" }),
    entry("C++", "cpp"),
  ];
  const synonyms = new Synonyms();
  const settings = (searchUsesCommonTerms: boolean) => ({
    searchLanguages: ["en", "de"] as Language[],
    searchUsesCommonTerms,
  });
  const found = (query: string, usesCommonTerms = false) =>
    synonyms.in(parseQuery(query), own, settings(usesCommonTerms)).map((one) => [one.words.join(" "), ...one.synonyms]);

  it.each([
    ["how much pto do I get?", [["pto", "paid time off"]]],
    ["unused paid time off ", [["paid time off", "pto"]]],
    ["restart k8s", [["k8s", "the cluster"]]],
    ["the cluster ", []],
    ['"pto" -pto type:pto', []],
    ["paid -time off", []],
    [
      "C++ and cpp",
      [
        ["c++", "cpp"],
        ["cpp", "c++"],
      ],
    ],
  ])("is what the glossary says: %s", (query, expected) => {
    expect(found(query)).toEqual(expected);
  });

  it("takes a stop word for a term only in capitals", () => {
    expect(found("contact IT today")).toEqual([["it", "information technology"]]);
    expect(found("is it open today")).toEqual([]);
  });

  it("uses an entry only for questions in its language", () => {
    expect(found("wie viel Urlaub habe ich")).toEqual([["urlaub", "ferien"]]);
    expect(found("what is the urlaub policy for us")).toEqual([]);
  });

  it("knows what everybody calls things, unless the glossary or a setting says otherwise", () => {
    expect(found("db in kubernetes", true)).toEqual([
      ["db", "database"],
      ["kubernetes", "k8s"],
    ]);
    expect(found("k8s", true)).toEqual([["k8s", "the cluster"]]);
    expect(found("db", false)).toEqual([]);
  });

  it("is limited, however often a query has terms", () => {
    const many = Array.from({ length: 40 }, (_, at) => entry("pto", `leave${at}`));
    const query = Array.from({ length: 30 }, () => "pto").join(" ");
    const of = synonyms.in(parseQuery(query), many, settings(false));
    expect([of.length, of[0]?.synonyms.length]).toEqual([8, 5]);
  });
});

describe("entries of a glossary", () => {
  it("are stored in order, without surplus white space", () => {
    const entries = requireEntries([entry(" PTO ", "paid  time off"), entry("db", "database")]);
    expect(entries.map(({ term, meaning }) => [term, meaning])).toEqual([
      ["db", "database"],
      ["PTO", "paid time off"],
    ]);
  });

  it.each([
    [[entry("", "paid")], "term"],
    [[entry("pto", "one two three four five six seven")], "meaning"],
    [[entry("pto", "x".repeat(81))], "meaning"],
    [[entry("PTO", "pto")], "meaning"],
    [[entry("PTO", "leave"), entry("pto", "Leave")], "entries"],
    [Array.from({ length: 1001 }, (_, at) => entry(`t${at}`, "x")), "entries"],
  ])("are refused if search can't use them: %#", (entries, member) => {
    expect(() => requireEntries(entries)).toThrow(expect.objectContaining({ member }));
  });

  it("include abbreviations that are usual everywhere, which the rules accept", () => {
    expect(requireEntries(commonTerms())).toHaveLength(commonTerms().length);
  });
});
