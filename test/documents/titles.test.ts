import { FIND_LIMITS } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { MANY_DOCUMENTS } from "#documents/find/rank/weights.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";
import { runs } from "../support/properties.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };

interface Texts {
  readonly title: string;
  readonly body: string;
}

/** Returns the titles that are found for each query, in order. */
function found(queries: readonly string[], documents: readonly Texts[], narrow = FIND_LIMITS.narrow): string[][] {
  const world = new World({ ...FIND_LIMITS, narrow });
  for (const [id, one] of documents.entries()) putDocument(world.store, aDocument(String(id), one), 1, 0);
  const titles = queries.map((query) => world.all(seer, { query }).map((id) => documents[Number(id)]?.title ?? ""));
  world.store.close();
  return titles;
}

describe.each([FIND_LIMITS.narrow, 0])("a title of a long page (%i weighed)", (narrow) => {
  const about = { title: "The tide", body: `${"other text ".repeat(300)}almanac `.repeat(12) };
  const mentions = Array.from({ length: 10 }, (_, at) => ({
    title: `Notes ${at}`,
    body: `A tide came, and ${"more of that ".repeat(20)}a tide went; says the almanac.`,
  }));
  const others = Array.from({ length: 60 }, (_, at) => ({ title: `Page ${at}`, body: "nothing of the kind" }));

  it.each(["tide ", "almanac tide ", "almanac for tide "])("counts more than mentions on short pages: %j", (query) => {
    expect(found([query], [...mentions, about, ...others], narrow)[0]?.[0]).toBe(about.title);
  });

  it("counts less the longer it is", () => {
    const longer = { ...about, title: "The tide and moon and wind and rain and other things of the sea" };
    expect(found(["almanac tide "], [about, longer, ...others], narrow)[0]).toEqual([about.title, longer.title]);
  });
});

describe.each([FIND_LIMITS.narrow, 0])("a title that says nothing but what was typed (%i weighed)", (narrow) => {
  const page = { title: "F.44. pg_surgery", body: "Functions for damaged tables. ".repeat(20) };
  const overview = { title: "Modules", body: "postgresql pg_surgery postgresql pg_visibility ".repeat(5) };
  const others = Array.from({ length: 60 }, (_, at) => ({
    title: `Page ${at}`,
    body: "postgresql, and nothing of the kind",
  }));

  it("counts as every word, since a page about one product seldom names it", () => {
    expect(found(["postgresql pg_surgery "], [overview, page, ...others], narrow)[0]?.[0]).toBe(page.title);
  });

  it("counts more than one that says something else, too", () => {
    const [asked, text] = ["pg_surgery", "Functions for damaged tables. "];
    const other = { title: "PostgreSQL in parts", body: `${text.repeat(5)}Now pg_surgery of postgresql here. ` };
    const documents = [other, { title: asked, body: text.repeat(20) }, ...others];
    expect(found(["postgresql pg_surgery "], documents, narrow)[0]?.[0]).toBe(asked);
  });

  it("doesn't come first if it says more, or if many documents have every word", () => {
    const more = { ...page, title: "pg_surgery and pg_visibility" };
    expect(found(["postgresql pg_surgery "], [overview, more, ...others], narrow)[0]?.[0]).toBe(overview.title);
    const many = Array.from({ length: MANY_DOCUMENTS }, () => overview);
    expect(found(["postgresql pg_surgery "], [...many, page], narrow)[0]?.[0]).toBe(overview.title);
  });

  it("is a field in a question, too, if it lacks one word at most", () => {
    const about = { title: "Write-Ahead Logging", body: "The journal of a database. ".repeat(300) };
    const mentions = { title: "Hooks", body: "sqlite calls a hook for write ahead logging" };
    expect(found(["sqlite write ahead logging "], [about, mentions, ...others], narrow)[0]?.[0]).toBe(about.title);
  });
});

const LONG = "vacation policy vacation policy ";

describe("a document with the typed title", () => {
  it.each([FIND_LIMITS.narrow, 0])("comes before all others (%i weighed)", (narrow) => {
    const text = (minLength: number, maxLength: number) =>
      fc
        .array(fc.constantFrom("plan", "Plans", "budget", "the", "who", "Résumé", "C++", "it's"), {
          minLength,
          maxLength,
        })
        .map((words) => words.join(" "));
    const body = fc.tuple(text(0, 6), fc.nat(300)).map(([words, filler]) => `${words} ${"text ".repeat(filler)}`);
    const documents = fc.array(fc.record({ title: text(1, 3), body }), { minLength: 8, maxLength: 20 });
    fc.assert(
      fc.property(documents, (all) => {
        const asked = [...new Set(all.map(({ title }) => title))];
        const pages = found(
          asked.map((title) => `${title} `),
          all,
          narrow,
        );
        for (const [at, titles] of pages.entries()) {
          const same = (other: string) => other.toLowerCase() === asked[at]?.toLowerCase();
          const exact = all.filter(({ title }) => same(title)).length;
          expect([titles.slice(0, exact).every(same), titles.filter(same).length]).toEqual([true, exact]);
        }
      }),
      { numRuns: runs(5) },
    );
  });

  it.each([
    ["vacation policy", "Vacation policy"],
    ["The Who", "the who"],
    ["on-call", "On call"],
    ["C++", "C++"],
    ["company's cars", "Company cars"],
    ['"vacation policy"', "Vacation Policy"],
    ["vacation policy -draft", "Vacation Policy"],
  ])("comes first for %j: %j", (query, title) => {
    const others = [
      "Vacation policy policy of 2019",
      "Who is who",
      "On the call",
      "C",
      "Company car policy, company cars",
    ];
    const documents = [{ title, body: "text ".repeat(500) }, ...others.map((other) => ({ title: other, body: LONG }))];
    expect(found([query], documents)[0]?.[0]).toBe(title);
  });

  it("is followed by titles with few other words", () => {
    const titles = ["Policy on vacation, sick leave and the use of cars", "Vacation policy 2026", "Vacation policy"];
    const documents = titles.map((title) => ({ title, body: "" }));
    expect(found(["vacation policy"], documents)).toEqual([titles.toReversed()]);
  });
});
