import { textOfMarkdown } from "#documents/markdown.ts";
import { describe, expect, it } from "vitest";

describe("the text of a Markdown document", () => {
  it.each([
    ["# Title\n\nOne **bold** and *weak*, __both__ and _one_.", "Title\n\nOne bold and weak, both and one."],
    ["A wrapped\nparagraph,  \na new line\n\nUnder\n=====\nmore", "A wrapped paragraph,\na new line\n\nUnder\nmore"],
    ["- one\n  goes on\n- two\n\n1. first\n2. second", "- one goes on\n- two\n\n1. first\n2. second"],
    ["> quoted\n> twice\n\n***\n\nafter", "quoted\ntwice\n\n\nafter"],
    [
      "See [the guide](https://x.example/a), ![a plan](p.png), <https://y.example>",
      "See the guide, a plan, https://y.example",
    ],
    ["| Name | Size |\n|------|-----:|\n| a | 3 kB |", "Name | Size\na | 3 kB"],
    ["`a **b** <c>` &amp; snake_case_name, 2 * 3 * 4, a \\* b", "a **b** <c> & snake_case_name, 2 * 3 * 4, a * b"],
    ["```sh\n# say **x**\necho '<b>'\n\nend\n```\nafter", "# say **x**\necho '<b>'\n\nend\nafter"],
    ["~~~\n```\n~~~\nafter", "```\nafter"],
    ["```\nnever closed **x**", "never closed **x**"],
    ["a<!-- secret --> <span style='display:none'>secret</span><b>b</b>", "a b"],
    ["```\n</pre><p hidden>shown\n```", "</pre><p hidden>shown"],
  ])("is extracted from %j", (markdown, text) => {
    expect(textOfMarkdown(markdown).text).toBe(text);
  });

  it("leaves out what HTML in it hides, and counts it", () => {
    expect(textOfMarkdown("<p hidden>\n\nsecret\n\n</p>seen")).toEqual({
      text: "seen",
      hiddenCharacters: 6,
      headings: [],
    });
  });

  it.each(["`", "* ", "*a", "_a", "|a|\n", "[a](", "~~a", "\\", "> ", "  ", "a\n", "a  \n", "<b>", "```\n"])(
    "is extracted in one pass from 300,000 characters of %j",
    (part) => {
      expect(textOfMarkdown(part.repeat(300_000 / part.length)).text.length).toBeLessThanOrEqual(300_000);
    },
  );
});
