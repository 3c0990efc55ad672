import { type Anchors, anchorsOf, sectionOf, urlOfSection } from "#documents/anchors.ts";
import { textOfHtml } from "#documents/html-text.ts";
import { textOfMarkdown } from "#documents/markdown.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const fragments = (html: string) => textOfHtml(html).headings.map(({ text, fragment }) => [text, fragment]);

describe("anchors of headings", () => {
  it.each([
    ["its own id", '<h2 id="b">Badges</h2>', "b"],
    ["an anchor in it", '<h2><a name="b"></a>Badges</h2>', "b"],
    ["its own id, not that of a sign in it", '<h2 id="b">Badges<a id="x" href="#b">¶</a></h2>', "b"],
    ["an anchor before it", '<p>Text.</p><a id="b"></a><h2>Badges</h2>', "b"],
    ["the section that it begins", '<section id="b"><div><h2>Badges</h2></div>', "b"],
  ])("are kept: %s", (_what, html, fragment) => {
    expect(fragments(`${html}<p>They open doors.</p>`)).toEqual([["Badges", fragment]]);
  });

  it.each([
    ["of navigation", '<nav><h2 id="b">Badges</h2></nav>'],
    ["that nobody sees", '<h2 id="b" hidden>Badges</h2>'],
    ["without an id, after text of another element", '<section id="b"><p>Text.</p><h2>Badges</h2>'],
  ])("are left out: %s", (_what, html) => {
    expect(fragments(`${html}<p>They open doors.</p>`)).toEqual([]);
  });

  it("are the fragments that hosts of Markdown give, each once, and none in code", () => {
    const markdown =
      "# The `badge`, *lost*\n\nText.\n\n## How-to: doors & keys #\n\n```\n# none\n```\n\n## The badge lost\n";
    expect(textOfMarkdown(markdown).headings.map(({ fragment }) => fragment)).toEqual([
      "the-badge-lost",
      "how-to-doors--keys",
      "the-badge-lost-1",
    ]);
  });

  it("point to the lines of the text, whatever was left out of it", () => {
    const headings = ["Menu", "東京の天気", "Doors"].map((text, at) => ({ text, fragment: `f${at}` }));
    const body = "Start.\n東\u200b京\u200bの\u200b天\u200b気\nRain.\nDoors\nOpen.";
    const anchors = JSON.parse(anchorsOf(body, headings) ?? "") as Anchors;
    expect(anchors).toEqual([
      [7, "f1"],
      [19, "f2"],
    ]);
    const text = body.replaceAll("\u200b", "");
    expect(["Start.", "…Rain.", "Open.", "absent"].map((passage) => sectionOf(text, anchors, passage))).toEqual([
      null,
      "f1",
      "f2",
      null,
    ]);
  });

  it("are left out if they can't be part of a URL, and stay if the URL has one", () => {
    expect(anchorsOf("A\nB", [{ text: "A", fragment: "a b" }])).toBeNull();
    expect(urlOfSection("https://wiki.example/a", "日")).toBe("https://wiki.example/a#%E6%97%A5");
    expect(urlOfSection("https://wiki.example/a#b", "c")).toBe("https://wiki.example/a#b");
  });

  it("tell in which section an excerpt and each text begins", () => {
    const { text: body, headings } = textOfHtml(
      `<p>${"A door is open. ".repeat(30)}</p><h2 id="lost">Lost badges</h2><p>The reception blocks a stolen card.</p>`,
    );
    const world = new World();
    putDocument(world.store, aDocument("a", { body, anchors: anchorsOf(body, headings) }), 1, 0);
    const seer = { email: "ada@acme.example", directoryGroups: [] };
    const [found] = world.page(seer, { query: "stolen card " }, { textCharacters: 400 }).documents;
    expect(found?.section).toBe("lost");
    expect(sectionOf(found?.text ?? "", found?.anchors ?? [], "The reception blocks")).toBe("lost");
  });
});
