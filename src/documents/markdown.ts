import { unicodePattern } from "#protocol/unicode-pattern.ts";
import { type Heading, HEADINGS_MAX } from "./anchors.ts";
import { type HtmlText, textOfHtml } from "./html-text.ts";

/** Signs of Markdown, which many sources send as typed, and of HTML within it. */
const MARKUP =
  /\*\*|^ {0,3}#{1,6} |\]\(|^ {0,8}(?:`{3}|~{3})|^[ \t]{0,8}\|?[ \t]{0,8}:?-{3}|&(?:nbsp|amp|lt|gt|quot);|<[!/a-z]/m;

const TAG = new RegExp(
  `</?(?:a|b|br|center|code|details|div|em|h[1-6]|i|img|kbd|li|ol|p|picture|pre|source|span|strong|sub|summary|sup|t[dhr]|table|ul)` +
    String.raw`(?:\s[^<>]{0,500})?/?>`,
  "g",
);

/**
 * Signs, and what remains of each. A row of dashes is a rule or part of a table. All repetitions are limited, because anybody may write
 * a long line of signs.
 */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/^ {0,3}#{1,6} +/gm, ""],
  [/^ {0,8}(?:`{3}|~{3})[\w-]{0,40}[ \t]{0,8}$\n?/gm, ""],
  [/^[ \t]{0,8}\|?[ \t]{0,8}:?-{3}[-:| \t]*$\n?/gm, ""],
  [/^ {0,3}\[[^[\]\n]{1,200}\]: \S{1,500}[^\n]{0,200}$\n?/gm, ""],
  [/!\[(?<text>[^[\]\n]{0,200})\]\[[^[\]\n]{0,100}\]/g, "$<text>"],
  [/\[(?<text>[^[\]\n]{0,200})\]\[[A-Za-z][^[\]\n]{1,100}\]/g, "$<text>"],
  [/!?\[(?<text>[^[\]\n]{0,200})\]\([^()\s]{0,500}(?:[ \t]"[^"\n]{0,200}")?\)/g, "$<text>"],
  [/\*\*(?=[^\s*])(?<text>[^*\n]{1,300}?)(?<=[^\s*])\*\*/g, "$<text>"],
];

/** Signs of HTML within it. */
const HTML_SIGNS: readonly (readonly [RegExp, string])[] = [
  [/<!--[^]{0,500}?-->/g, ""],
  [TAG, " "],
  [/&nbsp;/g, " "],
  [/&lt;/g, "<"],
  [/&gt;/g, ">"],
  [/&quot;/g, '"'],
  [/&amp;/g, "&"],
];

/** Returns a text as a reader of its source sees it. What only looks like Markdown, as code may, mostly stays. */
export function withoutMarkdown(text: string): string {
  if (!MARKUP.test(text)) return text;
  return replacing(HTML_SIGNS, replacing(SIGNS, text));
}

function replacing(signs: readonly (readonly [RegExp, string])[], text: string): string {
  return signs.reduce((plain, [sign, left]) => plain.replace(sign, left), text);
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CODE_SPAN = /(?<!`)(`{1,3})(?!`)([^`\n]{1,500})\1(?!`)/g;

/** Lines that continue no paragraph: headings, entries of lists, quotations, tables, rules, code, HTML. */
const OWN_LINE = /^(?: {4}|\t|\s*(?:#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|[>|<]|[-=*_]{3}|\[[^\]]{1,200}\]:|$))/;

/** Lines that no other continues. */
const LAST_LINE = /^\s*(?:#{1,6}\s|[|<]|[-=*_]{3}|$)/;

/** What counts as a sign if a text certainly is Markdown. */
const CERTAIN_SIGNS: readonly (readonly [RegExp, string])[] = [
  [/^[ \t]{0,3}\|[ \t]{0,9}(?<row>.{0,2000})\|[ \t]*$/gm, "$<row>"],
  [/^(?: {0,3}> ?){1,9}/gm, ""],
  [/^(?:[=-]{3,}|(?:[*_] ?){3,})[ \t]*$\n?/gm, ""],
  [/(?<![\w*])\*(?=[^\s*])(?<text>[^*\n]{1,300}?)(?<=[^\s*])\*(?![\w*])/g, "$<text>"],
  [/(?<!\w)__?(?=[^\s_])(?<text>[^_\n]{1,300}?)(?<=[^\s_])__?(?!\w)/g, "$<text>"],
  [/~~(?=\S)(?<text>[^~\n]{1,300}?)~~/g, "$<text>"],
  [/<(?<address>(?:https?|mailto):[^\s<>]{1,500})>/g, "$<address>"],
  [/\\$/gm, ""],
  [/\\(?<sign>[!-/:-@[-`{-~])/g, "$<sign>"],
];

/** Extracts the text of a Markdown document as a reader sees it. HTML in it counts as HTML, and code stays as it is. */
export function textOfMarkdown(markdown: string): HtmlText {
  const done: string[] = [];
  const headings: Heading[] = [];
  const used = new Map<string, number>();
  let prose: string[] = [];
  const finish = () => {
    if (prose.length > 0) done.push(proseOf(prose));
    prose = [];
  };
  let fence = "";
  for (const line of markdown.replaceAll("\r\n", "\n").split("\n")) {
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (fence !== "" && mark.startsWith(fence)) fence = "";
    else if (fence !== "") done.push(escaped(line));
    else if (mark === "") {
      const heading = headingIn(line, used);
      if (heading && headings.length < HEADINGS_MAX) headings.push(heading);
      prose.push(line);
    } else {
      finish();
      fence = mark;
    }
  }
  finish();
  return { ...textOfHtml(`<pre>${done.join("\n")}</pre>`), headings };
}

const HEADING = /^ {0,3}#{1,6} +(?<text>.{1,300}?)(?: +#+)? *$/;
const NOT_IN_SLUGS = unicodePattern(String.raw`[^\p{L}\p{M}\p{N}\p{Pc}\- ]`, "gu");

/** Returns a heading with the fragment that hosts of Markdown give it. @param used how often each fragment was given already */
function headingIn(line: string, used: Map<string, number>): Heading | null {
  const written = HEADING.exec(line)?.groups?.["text"];
  if (written === undefined) return null;
  const marked = written.replace(CODE_SPAN, "$2").replace(/<[^<>]{1,300}>/g, "");
  const text = replacing(CERTAIN_SIGNS, replacing(SIGNS, marked)).replace(/\s+/g, " ").trim();
  const slug = text.toLowerCase().replace(NOT_IN_SLUGS(), "").replaceAll(" ", "-");
  const count = used.get(slug) ?? 0;
  used.set(slug, count + 1);
  return { text, fragment: count === 0 ? slug : `${slug}-${count}` };
}

function proseOf(lines: readonly string[]): string {
  const joined = lines.map((line, at) => {
    const before = lines[at - 1] ?? "";
    const goesOn = !OWN_LINE.test(line) && !LAST_LINE.test(before) && !before.endsWith("  ") && !before.endsWith("\\");
    return `${at === 0 ? "" : goesOn ? " " : "\n"}${goesOn ? line.trim() : line.trimEnd()}`;
  });
  const spans: string[] = [];
  const withoutCode = joined
    .join("")
    .replace(CODE_SPAN, (_, _marks, code: string) => `\u0001${spans.push(code) - 1}\u0001`);
  // oxlint-disable-next-line no-control-regex -- stands for code
  return replacing(CERTAIN_SIGNS, replacing(SIGNS, withoutCode)).replace(/\u0001(\d{1,7})\u0001/g, (_, at: string) =>
    escaped(spans[Number(at)] ?? ""),
  );
}

function escaped(code: string): string {
  return code.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
