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
    ["<constructor>a</constructor><p style='color: constructor'>b", "a\nb"],
    ["<!DOCTYPE html><?xml version='1.0'?>text", "text"],
    ["<a title=\"a > b\" href='x > y'>text</a>", "text"],
    ["<a title=it's>text</a> more", "text more"],
    [
      "Fish &amp; chips &lt;b&gt; &eacute;t&eacute; &#8364;5 &#x20ac;6 &nbsp;&mdash;",
      "Fish & chips <b> été €5 €6 \u00a0—",
    ],
    ["&unknown; &amp;lt; &#0; &#xd800; & so on", "&unknown; &lt; \ufffd \ufffd & so on"],
    ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
    ["  many \t\r\n   spaces  ", "many spaces"],
    ["<p>780 MB\nof memory and\n1160 MB <img src=x>of hard disk", "780 MB of memory and 1160 MB of hard disk"],
    ["<svg><text>a label</text></svg>", "a label"],
    ["E = <math><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup><annotation>mc^2</annotation></math>", "E = mc2"],
    ["unclosed <b", "unclosed"],
    ["unclosed <!-- comment", "unclosed"],
    ["unclosed <script>never seen", "unclosed"],
    ["", ""],
  ])("is extracted from %j", (html, text) => {
    expect(textOfHtml(html).text).toBe(text);
  });

  // A naive reader needed more than a minute for each of these: 300,000 squared is too much for any test.
  it.each([
    "<",
    "<!--",
    "<script>",
    "<script></scrip",
    "<a b='",
    "</",
    "&#",
    "&amp",
    " \n",
    "<a =\"'",
    "<svg></",
    "<![CDATA[",

    "<b>",
    "<td>",
    "<table><tr><td>",
    "<li>",
    "<pre> ",
    "<pre>\n",
    "<td>|",
    "<a href=#>#</a>",
    "<i aria-hidden=true>",

    "<style>a{",
    "<style>.a{top:0}.a.b{top:0}</style><p class='a b'>",
    "<p style='/*\\'>",
    "<b style='opacity:0'><p>",
    "<div></b>",
  ])("is extracted in one pass from 300,000 characters of %j", (part) => {
    expect(textOfHtml(part.repeat(300_000 / part.length)).text.length).toBeLessThanOrEqual(300_000);
  });
});

describe("a long value in a page's styles", () => {
  const long = (part: string) => part.repeat(300_000 / part.length);
  it.each([
    `<p style="color:a${long(" ")}x">text`,
    `<p style="opacity:${long("1")}x">text`,
    `<p style="transform:scale(${long("0")}x">text`,
    `<p style="font:${long("1")}!">text`,
    `<font color="rgb(0 0 0 ${long("1")}x)">text`,
    `<style>p{color:a${long(" ")}x;color:red}</style><p>text`,
    `<style>${long("a")} b{color:red}</style><p>text`,
    `<style>"${long('\\"')}\n{color:red}</style><p>text`,
  ])("is read in one pass: %.30s", (html) => {
    expect(textOfHtml(html).text).toBe("text");
  });
});

describe("the shape of a text", () => {
  it.each([
    ["<ul><li>one<ul><li>within</ul><li><p>two</p><p>more</p></ul>", "- one\n  - within\n- two\nmore"],
    ["<ol start=3><li>three<li>four</ol>", "3. three\n4. four"],
    ["<dl><dt>term<dd>meaning</dl>", "term\nmeaning"],
    ["<table><tr><th>Name<th>Size<tr><td><p>a</p><p>b</p><td><td>3 kB</table>", "Name | Size\na b |  | 3 kB"],
    [`<table><tr><td>menu<td>${"prose ".repeat(100)}<br>two</table>`, `menu\n${"prose ".repeat(100).trim()}\ntwo`],
    ["<table><tr><td><table><tr><td>a<td>b</table><td>c</table>", "a | b | c"],
    ["<pre>if x:\n\n    y  =  <b>1</b>\n</pre>then", "if x:\n\n    y  =  1\nthen"],
    ["<table><tr><td><pre>1\n2</pre><td><pre>a\n  b</pre></table>", "1\n2\na\n  b"],
  ])("is kept: %j", (html, text) => {
    expect(textOfHtml(html).text).toBe(text);
  });
});

describe("what Confluence stores", () => {
  const link = (label: string) => `<p>See <ac:link><ri:page ri:content-title="Handbook"/>${label}</ac:link>.</p>`;
  const label = "<ac:plain-text-link-body><![CDATA[this <page>]]></ac:plain-text-link-body>";
  it.each([
    [
      '<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">sql</ac:parameter><ac:plain-text-body><![CDATA[SELECT a\n  FROM b\nWHERE a > 1]]></ac:plain-text-body></ac:structured-macro>after',
      "SELECT a\n  FROM b\nWHERE a > 1\nafter",
    ],
    [
      '<ac:structured-macro ac:name="info"><ac:parameter ac:name="title">Note</ac:parameter><ac:rich-text-body><p>text</p></ac:rich-text-body></ac:structured-macro>',
      "Note\ntext",
    ],
    [link(label), "See this <page>."],
    [link(""), "See Handbook."],
  ])("is read: %s", (html, text) => {
    expect(textOfHtml(html).text).toBe(text);
  });
});

describe("the frame of a page", () => {
  it.each([
    ["<div role=navigation><ul><li>Home</ul></div><p>Text", "Text"],
    ["<div class='nav breadcrumbs'>Home > Docs</div><p>Text", "Text"],
    ["<div class='has-breadcrumbs'>Text</div>", "Text"],
    ["<table><tr><td><a>Prev</a>\u00a0<td>Up<td>Home<td>Next</table><p>Text", "Text"],
    ["<p>Next up<p>Home", "Next up\nHome"],
    ["<h2>Part<a href='#part'>¶</a></h2><p>Text<a href='#n'>#</a> <a href='x'>#</a>", "Part\nText #"],
    ["<p><i class='icon' aria-hidden='true'>home</i>Text", "Text"],
    ["<header><nav><a>Home</a></nav></header><h1>Plan</h1><p>Text</p><footer>Imprint</footer>", "Plan\nText"],
    ["<nav>Only a list of links</nav>", "Only a list of links"],
    ["<footer>never closed, the rest stays", "never closed, the rest stays"],
  ])("is left out if there is other text: %s", (html, text) => {
    expect(textOfHtml(html).text).toBe(text);
  });
});
