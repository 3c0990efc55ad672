import { textOfHtml } from "#documents/html-text.ts";
import { describe, expect, it } from "vitest";

describe("the text of an HTML body", () => {
  it.each([
    ["<p>One</p><p>two</p>", "One\ntwo"],
    ["<p>in<b>di</b>visible, <a href='x'>linked</a></p>", "indivisible, linked"],
    ["first<br>second<br/>third", "first\nsecond\nthird"],
    ["<html><head><title>Title</title></head><body>Text</body></html>", "Text"],
    ["before<script>if (a < b) steal('</p>')</script>after", "before\nafter"],
    ["before<STYLE type=x>p { color: red }</Style >after", "before\nafter"],
    ["a<!-- a comment > -->b", "ab"],
    ["<!DOCTYPE html><?xml version='1.0'?>text", "text"],
    ["<a title=\"a > b\" href='x > y'>text</a>", "text"],
    ["<a title=it's>text</a> more", "text more"],
    [
      "Fish &amp; chips &lt;b&gt; &eacute;t&eacute; &#8364;5 &#x20ac;6 &nbsp;&mdash;",
      "Fish & chips <b> été €5 €6 \u00a0—",
    ],
    ["&unknown; &amp;lt; &#0; &#xd800; & so on", "&unknown; &lt; \ufffd \ufffd & so on"],
    ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
    ["  many \t\r\n   spaces  ", "many\nspaces"],
    ["<ul><li>one</li><li>two</li></ul><table><tr><td>a</td><td>b</td></tr></table>", "one\ntwo\na\nb"],
    ["unclosed <b", "unclosed"],
    ["unclosed <!-- comment", "unclosed"],
    ["<script>never closed", "never closed"],
    ["", ""],
  ])("is extracted from %j", (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  // A naive reader needed more than a minute for each of these: a million squared is too much for any test.
  it.each(["<", "<!--", "<script>", "<script></scrip", "<a b='", "</", "&#", "&amp", " \n", "<a =\"'", "<svg></"])(
    "is extracted in one pass from a million characters of %j",
    (part) => {
      expect(textOfHtml(part.repeat(1_000_000 / part.length)).length).toBeLessThanOrEqual(1_000_000);
    },
  );
});

describe("the frame of a page", () => {
  it.each([
    ["<header><nav><a>Home</a></nav></header><h1>Plan</h1><p>Text</p><footer>Imprint</footer>", "Plan\nText"],
    ["<nav>Only a list of links</nav>", "Only a list of links"],
    ["<footer>never closed, the rest stays", "never closed, the rest stays"],
  ])("is left out if there is other text: %s", (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });
});
