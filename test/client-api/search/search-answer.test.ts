import { toSnippet } from "#client-api/search/search-answer.ts";
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
