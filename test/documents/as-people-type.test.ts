import { putDocument } from "#documents/write/documents.ts";
import { excerptOf } from "#documents/find/page/excerpt.ts";
import { wordsIn } from "#documents/words.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const EVERYONE = { kind: "everyone", datasource: "", name: "" } as const;
const seer = { email: "ada@acme.example", directoryGroups: [] };

/** Returns the ids that a query finds among pages of title and body. */
function found(query: string, pages: Readonly<Record<string, readonly [title: string, body: string]>>): string[] {
  const world = new World(FIND_LIMITS);
  for (const [id, [title, body]] of Object.entries(pages)) {
    putDocument(world.store, aDocument(id, { title, body, principals: [EVERYONE] }), 1, 0);
  }
  return world.all(seer, { query });
}

describe("marks that nobody sees or types", () => {
  it.each([
    ["Reise\u00adkosten", "reisekosten"],
    ["em\u2060ploy\u200bee\ufeff", "employee"],
    ["می\u200cخواهم", "میخواهم"],
    ["الكِتاب المُقدَّس", "الكتاب المقدس"],
    ["كـــتاب", "كتاب"],
    ["أحمد إلى آخر ؤ ئ", "احمد الي اخر و ي"],
    ["مدرسة", "مدرسه"],
    ["کتاب یک", "كتاب يك"],
    ["٣٤ ۵۶", "34 56"],
    ["שָׁלוֹם", "שלום"],
    ["क़लम", "कलम"],
    ["ἄνθρωπος ё", "ανθρωποσ е"],
    ["straße İzmir ﬁn", "strasse izmir fin"],
  ])("make no difference: %s", (one, other) => {
    expect(wordsIn(one)).toEqual(wordsIn(other));
  });

  it("stay apart where they make other letters", () => {
    expect(wordsIn("が")).not.toEqual(wordsIn("か"));
    expect(wordsIn("ट ठ")).toHaveLength(2);
  });

  it("stay in excerpts, where the whole word is found", () => {
    const sought = { words: new Map([["reisekosten", 0]]), phrases: [] };
    const { text, ranges } = excerptOf("Die Reise\u00adkosten sind hoch.", sought, 200);
    expect(ranges.map(([from, to]) => text.slice(from, to))).toEqual(["Reise\u00adkosten"]);
  });
});

describe("a word that the end of a line divides", () => {
  const pages = {
    a: ["Minutes", `${"Some of the minutes. ".repeat(22)}\nthe com-\nmittee met`],
    b: ["Pair", "a power-\nefficient design"],
  } as const;

  it("is found as a whole, and in its parts", () => {
    expect(found("committee ", pages)).toEqual(["a"]);
    expect(found("efficient ", pages)).toEqual(["b"]);
    expect(found("power efficient ", pages)).toEqual(["b"]);
  });
});

describe("a word in capitals", () => {
  const pages = {
    it: ["IT helpdesk", "The IT helpdesk resets passwords. IT is on floor 3."],
    hr: ["HR contacts", "How to contact HR about leave, and what it is about."],
    security: ["Security contacts", "How to contact security about badges."],
    itpolicy: ["IT policy", "laptops"],
    policy: ["Expense policy", "receipts, and what is it to us"],
    am: ["AM shift", "AM shift starts at six"],
    pm: ["PM shift", "PM shift starts at two. I am there."],
    who: ["WHO travel advice", "The WHO publishes travel advice"],
    travel: ["Travel advice", "travel advice for everybody who travels"],
    or: ["OR office", "Oregon (OR) office"],
    office: ["Office list", "all office addresses"],
    loud: ["LOUD PAGE", "EVERYBODY WHO TRAVELS SHOUTS IT OR IS SILENT, EVERY DAY OF THE YEAR AND EVERY NIGHT OF IT"],
  } as const;

  it.each([
    ["how do I contact IT?", "it", 2],
    ["what is our IT policy?", "itpolicy", 1],
    ["when does the AM shift start?", "am", 1],
    ["what does WHO say about travel advice?", "who", 1],
  ])("is a name in %j", (query, id, places) => {
    expect(found(query, pages).slice(0, places)).toContain(id);
  });

  it("is no name if other search engines take it for an operator", () => {
    expect(found("travel OR office ", pages)).toEqual(found("travel or office ", pages));
  });

  it("is a stop word in lower case, and if everything is in capitals", () => {
    expect(found("is it raining today ", pages)).not.toContain("itpolicy");
    expect(found("WHAT IS IT FOR ", pages)).not.toEqual(["it"]);
    expect(found("IT policy ", pages)).not.toContain("loud");
  });

  it("is searched for in lower case if no page has it in capitals", () => {
    expect(found("the US or WHO ", { a: ["Who", "who are we"], b: ["Else", "nothing"] })).toEqual(["a"]);
  });
});

describe("one word or two", () => {
  const pages = {
    one: ["Timesheet", "fill in"],
    two: ["Your time sheet", "fill in"],
    apart: ["Sheet", "in time"],
    place: ["Trees", "What ever the birds there in spring"],
  } as const;

  it("are the same, whichever way people write it", () => {
    expect(found("timesheet ", pages)).toEqual(["one", "two"]);
    expect(found("time sheet ", pages)).toContain("one");
    expect(found("timesheet fill ", pages).slice(0, 2)).toEqual(["one", "two"]);
  });

  it("are not, if the parts only join other words, or in quotes", () => {
    expect([found("therein ", pages), found("whatever ", pages)]).toEqual([[], []]);
    expect(found('"timesheet"', pages)).toEqual(["one"]);
  });
});
