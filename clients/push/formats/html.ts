import { Readability } from "@mozilla/readability";
import { Parser } from "htmlparser2";
import { parseHTML } from "linkedom";
import { type Extracted, type Section, secondsOf, wordsOf } from "./extracted.ts";
import { authorOf, decode } from "./text.ts";

/** Elements that no reader sees. */
const UNSEEN = new Set("script style template noscript svg head iframe object canvas select".split(" "));

/** The frame of a page, which is left out if its article can't be found. */
const FRAME = new Set(["nav", "footer", "header", "aside", "form"]);

const BLOCKS = new Set(
  "address article blockquote dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 h6 hr li main ol p pre section summary table tbody tr ul".split(
    " ",
  ),
);

/** What reads as a hidden element in its own markup. The commonest way to hide instructions to a model. */
const HIDDEN =
  /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size|max-height|height|width)\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$)/i;

/** A nesting that pages of people don't have. The DOM takes minutes for thousands. */
const DEPTH_MAX = 500;

/** The parser's time grows with the square of the depth: a page of 1 MB takes it a minute, and one of 50 MB days. */
const PARSED_DEPTH_MAX = 30_000;

/** @throws for a nesting that the parser can't read in time */
function requireShallow(depth: number): void {
  if (depth > PARSED_DEPTH_MAX) throw new Error(`elements are nested more than ${PARSED_DEPTH_MAX} deep`);
}

/** An article that has less of a page's text than this is only a part that looked like one. */
const ARTICLE_SHARE_MIN = 0.25;

/** What the head of a page says. */
export interface PageHead {
  readonly title?: string;
  readonly canonical?: string;
  readonly base?: string;
  /** The contents of `meta` elements, by name or property in lower case. */
  readonly meta: Readonly<Record<string, string>>;
  readonly links: readonly string[];
  readonly depth: number;
}

/** Reads the head and the links of a page. @throws for elements that are nested too deeply */
export function headOf(html: string): PageHead {
  const meta: Record<string, string> = {};
  const links = new Set<string>();
  const found: { title?: string; canonical?: string; base?: string } = {};
  let isTitle = false;
  let [level, depth] = [0, 0];
  const parser = new Parser({
    onopentag(name, attributes) {
      depth = Math.max(depth, (level += 1));
      requireShallow(depth);
      if (name === "title" && found.title === undefined) isTitle = true;
      const { href, rel = "", content } = attributes;
      if (name === "meta" && content !== undefined) {
        meta[(attributes["name"] ?? attributes["property"] ?? "").toLowerCase()] ??= content;
      }
      if (href === undefined) return;
      if (name === "link" && rel.toLowerCase() === "canonical") found.canonical ??= href;
      if (name === "base") found.base ??= href;
      if (name === "a" && !/\bnofollow\b/i.test(rel) && links.size < 5000) links.add(href);
    },
    ontext(text) {
      if (isTitle) found.title = (found.title ?? "") + text;
    },
    onclosetag(name) {
      level -= 1;
      if (name === "title") isTitle = false;
    },
  });
  parser.end(html);
  return { ...found, meta, links: [...links], depth };
}

/** Reads a page: its article without menus and footers, as text with headings, lists, tables and code. */
export function readHtml(bytes: Uint8Array): Extracted {
  const html = decodeHtml(bytes);
  const { title, meta, depth } = headOf(html);
  const all = sectionsOfHtml(html, FRAME);
  const article = depth > DEPTH_MAX ? undefined : articleOf(html);
  const found = article === undefined ? [] : sectionsOfHtml(article);
  const sections = lengthOf(found) >= lengthOf(all) * ARTICLE_SHARE_MIN ? found : all;
  const headings = [...html.matchAll(/<h1[\s>]/gi)].length;
  const heading = headings === 1 ? all.find(({ label }) => label !== undefined)?.label : undefined;
  return {
    sections,
    title: heading ?? wordsOf(meta["og:title"]) ?? wordsOf(title),
    summary: wordsOf(meta["description"] ?? meta["og:description"]),
    author: authorOf(meta["author"] ?? meta["article:author"]),
    createdAt: secondsOf(meta["article:published_time"] ?? meta["date"]),
    updatedAt: secondsOf(meta["article:modified_time"] ?? meta["last-modified"]),
  };
}

/** Returns the markup of a page's article. */
function articleOf(html: string): string | undefined {
  const { document } = parseHTML(html);
  if (!document.documentElement) return undefined;
  for (const selector of ["#main-content", "main", "[role=main]", "article"]) {
    const found = document.querySelectorAll(selector);
    if (found.length === 1) return found[0]?.outerHTML;
  }
  return new Readability(document, { maxElemsToParse: 100_000 }).parse()?.content ?? undefined;
}

function lengthOf(sections: readonly Section[]): number {
  return sections.reduce((sum, { text }) => sum + text.length, 0);
}

/** Reads the declared encoding of a page, which browsers prefer to guessing. What declares UTF-16 in these bytes is in UTF-8. */
function decodeHtml(bytes: Uint8Array): string {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 2048));
  const [, declared = "utf-8"] = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start) ?? [];
  try {
    const decoder = new TextDecoder(declared);
    if (!decoder.encoding.startsWith("utf-")) return decoder.decode(bytes);
  } catch {
    // No encoding that browsers know.
  }
  return decode(bytes);
}

/**
 * Returns the text of markup as a reader sees it, cut at headings of the first two levels.
 *
 * @param leftOut names of elements that are left out
 */
export function sectionsOfHtml(html: string, leftOut: ReadonlySet<string> = new Set()): Section[] {
  let written = new Written();
  const sections = [written];
  let [hidden, pre, cells] = [0, 0, 0];
  let heading: string | undefined;
  const open: boolean[] = [];
  const breakLine = (lines = 1) => {
    // A cell stays on the line of its row, and what a bullet belongs to on the line of the bullet.
    if (cells > 0) written.add(/\s$/.test(written.end) ? "" : " ");
    else if (written.end !== "" && !/(^|\n)- $/.test(written.end)) {
      written.add("\n".repeat(Math.max(0, lines - (/\n*$/.exec(written.end)?.[0].length ?? 0))));
    }
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      const isHidden = UNSEEN.has(name) || leftOut.has(name) || isHiddenBy(attributes);
      open.push(isHidden);
      requireShallow(open.length);
      if (isHidden) hidden += 1;
      if (hidden > 0) return;
      if (name === "pre") pre += 1;
      if (name === "br") written.add("\n");
      else if (BLOCKS.has(name)) breakLine(name === "li" || name === "tr" ? 1 : 2);
      if (/^h[12]$/.test(name)) {
        heading = "";
        if (written.hasWords) sections.push((written = new Written()));
      }
      if (name === "li") written.add("- ");
      if (name !== "td" && name !== "th") return;
      cells += 1;
      if (!/(^|\n)$/.test(written.end)) written.add(written.end.endsWith(" ") ? "| " : " | ");
    },
    ontext(text) {
      if (hidden > 0) return;
      const isStart = /(^|\s)$/.test(written.end);
      const shown = pre > 0 ? text : text.replaceAll(/[\s\u00a0]+/g, " ").replace(isStart ? /^ / : /(?!)/, "");
      written.add(shown);
      if (heading !== undefined) heading += shown;
    },
    onclosetag(name) {
      const wasHidden = open.pop() === true;
      if (wasHidden) hidden -= 1;
      if (hidden > 0 || wasHidden) return;
      if (name === "pre") pre -= 1;
      if (name === "td" || name === "th") cells -= 1;
      if (/^h[12]$/.test(name)) {
        written.label ??= wordsOf(heading);
        heading = undefined;
      }
      if (BLOCKS.has(name)) breakLine();
    },
  });
  parser.end(html);
  return sections.map(({ label, text }) => ({ label, text })).filter(({ text }) => text !== "");
}

/** The text of a section, in pieces: looking at the end of a growing text would copy it each time. */
class Written {
  label: string | undefined;
  hasWords = false;
  /** The last few characters. */
  end = "";
  readonly #pieces: string[] = [];

  add(text: string): void {
    this.#pieces.push(text);
    this.end = (this.end + text).slice(-3);
    this.hasWords ||= text.trim() !== "";
  }

  get text(): string {
    const text = this.#pieces.join("");
    return text
      .replaceAll(/[ \t]+\n/g, "\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim();
  }
}

function isHiddenBy(attributes: Readonly<Record<string, string>>): boolean {
  return "hidden" in attributes || attributes["aria-hidden"] === "true" || HIDDEN.test(attributes["style"] ?? "");
}
