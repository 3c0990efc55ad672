import { toSnippet } from "#client-api/search/search-answer.ts";
import { MARK_END, MARK_START } from "#client-api/search/search.ts";
import { describe, expect, it } from "vitest";

const bold = (text: string) => MARK_START + text + MARK_END;

describe("toSnippet", () => {
  it.each([
    ["nothing here", "nothing here", []],
    ["", "", []],
    [`the ${bold("plan")} of`, "the plan of", ["plan"]],
    [`${bold("a")}${bold("b")}`, "ab", ["a", "b"]],
    [`🦆 ${bold("Größe")} 検${bold("索")}…`, "🦆 Größe 検索…", ["Größe", "索"]],
    [bold("cut off").slice(0, -1), "cut off", ["cut off"]],
  ])("%j", (marked, text, words) => {
    const snippet = toSnippet(marked);
    expect(snippet.text).toBe(text);
    expect(snippet.ranges.map(({ startIndex, endIndex }) => snippet.text.slice(startIndex, endIndex))).toEqual(words);
    for (const { type } of snippet.ranges) expect(type).toBe("BOLD");
  });
});
