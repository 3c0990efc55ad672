import { textOfHtml } from "#documents/html-text.ts";
import { describe, expect, it } from "vitest";

const page = (style: string, body: string) =>
  `<html><head><style>${style}</style></head><body>${body}<p>seen</p></body></html>`;

/** Each hides "secret" from somebody who reads the page, and nothing else. */
const HIDDEN: readonly string[] = [
  "<p hidden>secret</p><p>seen</p>",
  "<p HIDDEN=''>secret<p>seen",
  "<p hidden=until-found>secret</p><p>seen</p>",
  "<div style='display:none'>secret</div>seen",
  '<DIV STYLE="DISPLAY : NONE !IMPORTANT">secret</DIV>seen',
  "<div style='display&#58;none'>secret</div>seen",
  "<div style='dis\\70 lay:none'>secret</div>seen",
  "<div style='color:red;/* ; */display:/**/none'>secret</div>seen",
  "<div style=display:none>secret</div>seen",
  "<div title='a > b' style='display:none'>secret</div>seen",
  "<div style='display:none'><div>secret</div>secret</div>seen",
  "<div style='visibility:hidden'>secret</div>seen",
  "<table><tr style='visibility:collapse'><td>secret</td></tr><tr><td>seen</td></tr></table>",
  "<div style='opacity:0'>secret</div>seen",
  "<div style='opacity:1%'>secret</div>seen",
  "<div style='filter:opacity(0)'>secret</div>seen",
  "<p style='font-size:0'>secret</p>seen",
  "<p style='font-size:1px'>secret</p>seen",
  "<p style='font-size:0'><b style='font-size:2em'>secret</b></p>seen",
  "<p style='font:0/0 a'>secret</p>seen",
  "<p style='width:0;height:0;overflow:hidden'>secret</p>seen",
  "<p style='max-height:0;overflow:hidden'>secret</p>seen",
  "<p style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)'>secret</p>seen",
  "<p style='position:absolute;clip:rect(1px,1px,1px,1px)'>secret</p>seen",
  "<p style='clip-path:inset(100%)'>secret</p>seen",
  "<p style='clip-path:circle(0)'>secret</p>seen",
  "<p style='position:absolute;left:-9999px'>secret</p>seen",
  "<p style='position:fixed;top:-100em'>secret</p>seen",
  "<p style='text-indent:-9999px'>secret</p>seen",
  "<p style='margin-left:-9999px'>secret</p>seen",
  "<p style='transform:translateX(-9999px)'>secret</p>seen",
  "<p style='transform:scale(0)'>secret</p>seen",
  "<p style='content-visibility:hidden'>secret</p>seen",
  "<p style='color:#fff'>secret</p>seen",
  "<p style='color:white;background:white'>secret</p>seen",
  "<p style='background-color:rgb(10, 20, 30);color:#0a141e'>secret</p>seen",
  "<table bgcolor='#123456'><tr><td><font color='#123457'>secret</font></td><td>seen</td></tr></table>",
  "<p style='color:transparent'>secret</p>seen",
  "<p style='color:rgba(0,0,0,0)'>secret</p>seen",
  "<p style='color:#0000'>secret</p>seen",
  "seen<!-- secret -->",
  "seen<!-- > secret --!>",
  "seen<!-- secret",
  "seen<? secret ?>",
  "<template><p>secret</p></template>seen",
  "<noscript>secret</noscript>seen",
  "<script type='text/plain'>secret</script>seen",
  "seen<script>secret",
  "<style>secret</style>seen",
  "<iframe>secret</iframe>seen",
  "<object data='x'>secret</object>seen",
  "<video>secret</video>seen",
  "<dialog>secret</dialog>seen",
  "<datalist><option>secret</option></datalist>seen",
  "<input type=hidden value=secret>seen",
  "<svg><title>secret</title><desc>secret</desc><defs><text>secret</text></defs></svg>seen",
  "<p><span aria-hidden='true'>secret</span> seen</p>",
  "<p><b style='display:none'>secret</p><p>secret</b></p>seen",
  "<div hidden><table><tr><td></div>secret</td></tr></table></div>seen",
  "<div hidden><b>x</div></b>seen<i hidden>secret</i>",
  "<li style='display:none'>secret<li>seen",
  "<dl><dt hidden>secret<dd>seen</dl>",
  page(".x { display: none }", "<p class='a x'>secret</p>"),
  page("#x{display:none}", "<p id=x>secret</p>"),
  page("p.x, .y { visibility: hidden }", "<p class=x>secret</p><p class=y>secret</p>"),
  page("@media screen { .x { opacity: 0 } }", "<p class=x>secret</p>"),
  page("/* } */ .x:after { content: '}' } .x { position: absolute; left: -999em }", "<p class=x>secret</p>"),
  page("body { background: #222 } .x { color: #222222 }", "<p class=x>secret</p><p style='color:#eee'>seen</p>"),
  `<p class=x>secret</p>seen<style>.x{font-size:0}</style>`,
  "<p hidden>secret</p>".repeat(20) + "seen",
];

/** Each looks as if it hid something, but a reader sees all of it. */
const SEEN: readonly string[] = [
  "<p hidden style='display:block'>seen</p>",
  "<p style='visibility:hidden'><b style='visibility:visible'>seen</b></p>",
  "<div style='font-size:0'><p style='font-size:14px'>seen</p></div>",
  "<div style='font-size:0'><p style='font-size:1rem'>seen</p></div>",
  "<p style='color:white;background:#036'>seen</p>",
  "<table><tr><td style='background:#036'><span style='color:#fff'>seen</span></td></tr></table>",
  "<table><tr><td class='dark'><span style='color:#fff'>seen</span></td></tr></table>",
  "<div style='background:url(night.png)'><p style='color:#fff'>seen</p></div>",
  "<div style='background:linear-gradient(#000,#333)'><p style='color:#fff'>seen</p></div>",
  "<link rel=stylesheet href=dark.css><p style='color:#fff'>seen</p>",
  "<p style='color:#fff;color:#000'>seen</p>",
  "<p style='background:linear-gradient(red,blue);-webkit-text-fill-color:transparent'>seen</p>",
  "<p style='opacity:0;animation:appear 1s forwards'>seen</p>",
  "<p style='opacity:.5;font-size:8px;text-indent:-2em;margin-left:-20px;left:-100px'>seen</p>",
  "<p style='padding-bottom:9999px;margin-bottom:-9999px'>seen</p>",
  "<p style='height:0'>seen</p>",
  "<p style='overflow:hidden;width:300px'>seen</p>",
  "<p style='clip:rect(0,0,0,0)'>seen</p>",
  "<p style='transform:scale(0.5)'>seen</p>",
  "<p style='background:none;color:#333'>seen</p>",
  "<p data-hidden='true' title='display:none'>seen</p>",
  "<p class='hidden'>seen</p>",
  "<details><summary>seen</summary></details>",
  "<dialog open>seen</dialog>",
  "<p aria-hidden='false'>seen</p>",
  "<p aria-hidden='true'>All of this sentence can be seen.</p>",
  "<p hidden><p>seen",
  "<p hidden><div>seen</div>",
  "<ul><li hidden><li>seen</ul>",
  "<h2 hidden><h3>seen</h3>",
  "<p><span hidden></p><p>seen</p>",
  "<a hidden><a>seen</a>",
  "<b hidden><div></b>seen</div>",
  "<div hidden></div>seen</div>",
  "<table><tr hidden><td><tr><td>seen</table>",
  "<table><tr><td hidden><td>seen</table>",
  "<svg><defs><p>seen",
  "<svg><text>seen</text></svg>",
  "<body style='opacity:0'>seen</body>",
  "<body hidden>seen",
  "<!-->seen<!-- -->",
  "<!--->seen",
  "<![CDATA[seen]]>",
  "<![CDATA[<p>seen</p>",
  "<head><p>seen",
  "<nav>never closed <p>seen",
  "<div role=navigation><p>seen",
  "<h1>seen</h1><nav><a>Home</a><p>seen",
  "<template></template>seen",
  "<?xml version='1.0'?><a id='x' hidden=''/><p>seen</p>",
  page("@media print { p { display: none } }", ""),
  page("@media (max-width: 9em) { p { display: none } }", ""),
  page("p { display: none } @media (min-width: 9em) { p { display: block } }", ""),
  page("p { display: none } .open p { display: block }", ""),
  page(".tab { display: none } .tab.active { display: block }", "<p class=tab>seen</p>"),
  page("nav p { display: none }", ""),
  page("p:empty { display: none } p::before { display: none }", ""),
  page("@keyframes a { from { opacity: 0 } } p { animation: a 1s }", ""),
  page(".x { .y { display: none } }", "<p class=y>seen</p>"),
  page(".x { color: #fff; background: #036 }", "<p class=x>seen</p>"),
  page(".x { display: none } .x { display: block }", "<p class=x>seen</p>"),
  page(".x { display: none }", "<p class=x style='display:block'>seen</p>"),
  page("<!-- .x { display: none -->", "<p>seen</p>"),
  "<style media=print>p{display:none}</style><p>seen</p>",
  "<!-- <style>p{display:none}</style> --><p>seen</p>",
  "<template><style>p{display:none}</style></template><p>seen</p>",
];

describe("text that a reader of a page doesn't see", () => {
  it.each(HIDDEN)("is left out, and counted: %s", (html) => {
    const { text } = textOfHtml(html);
    expect(text).not.toContain("secret");
    expect(text).toContain("seen");
  });

  it("is counted, without scripts, styles and comments", () => {
    const html = "<p hidden> one two </p><script>x</script><!-- y --><p>seen <span style='opacity:0'>three</span></p>";
    expect(textOfHtml(html)).toEqual({ text: "seen", hiddenCharacters: 12, headings: [] });
  });
});

describe("text that a reader of a page sees", () => {
  it.each(SEEN)("is never left out: %s", (html) => {
    const { text, hiddenCharacters } = textOfHtml(html);
    expect(text).toContain("seen");
    expect(hiddenCharacters).toBe(0);
  });

  it("is found in elements of any depth, whatever is hidden beside it", () => {
    const deep = `${"<div>".repeat(3000)}<p hidden>x</p>seen${"</div>".repeat(3000)}<p hidden>secret</p>after`;
    expect(textOfHtml(deep).text).toContain("seen");
    expect(textOfHtml(deep).text).not.toContain("secret");
    expect(textOfHtml(deep).text).toContain("after");
  });
});
