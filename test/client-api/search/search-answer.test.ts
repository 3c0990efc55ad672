import { toSearchAnswer, toSnippet } from "#client-api/search/search-answer.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { describe, expect, it } from "vitest";

describe("toSnippet", () => {
  it("converts a passage and its matches to the shape of the wire contract", () => {
    expect(toSnippet({ text: "the plan of", ranges: [[4, 8]] })).toEqual({
      text: "the plan of",
      ranges: [{ startIndex: 4, endIndex: 8, type: "BOLD" }],
    });
    expect(toSnippet({ text: "", ranges: [] })).toEqual({ text: "", ranges: [] });
  });
});

describe("toSearchAnswer", () => {
  it("opens the section of the excerpt with a result's URL, and leaves the document its own", async () => {
    const found = (section: string | null): FoundDocument => ({
      datasource: "wiki",
      externalId: "a",
      objectType: "Page",
      title: "Badges",
      url: "https://wiki.example/a",
      authorName: null,
      authorEmail: null,
      createdAt: null,
      updatedAt: null,
      customData: [],
      excerpt: { text: "", ranges: [] },
      section,
    });
    const page = {
      searchedQuery: "",
      documents: [found("lost-ones"), found(null)],
      facets: undefined,
      missingWords: [],
      correctedWords: [],
      cursor: undefined,
      usedSizes: {},
    };
    const { results } = await toSearchAnswer(page, async () => "", "id", 100);
    expect(results.map(({ url, document }) => [url, document.url])).toEqual([
      ["https://wiki.example/a#lost-ones", "https://wiki.example/a"],
      ["https://wiki.example/a", "https://wiki.example/a"],
    ]);
  });
});
