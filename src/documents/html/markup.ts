import { decoded } from "./references.ts";

/** The attributes that decide what is seen of an element, by their names in lower case. */
export type Attributes = ReadonlyMap<string, string>;

const NONE: Attributes = new Map();

/** Gets the parts of a page in their order. Names of elements are in lower case. */
export interface MarkupReader {
  text(chunk: string): void;
  open(name: string, attributes: Attributes, hasSlash: boolean): void;
  close(name: string): void;
  /** Whether a slash at the end of a tag closes an element, as in XML. In HTML, it means nothing. */
  closesBySlash(name: string): boolean;
}

const ATTRIBUTES = new Set(
  "style class id hidden role aria-hidden open color bgcolor name href start ac:name ri:content-title media".split(" "),
);

/** Elements that contain no markup: everything up to their end tag is text. */
const RAW = new Set("script style textarea title xmp iframe noembed noframes noscript".split(" "));

const NAME = /\/?[A-Za-z][^\s/>]{0,31}/y;
const COMMENT_END = /--!?>/g;

/**
 * Reads HTML as a browser does, in one pass: every search for the end of something starts where the last one ended, and a missing end is
 * searched for only once. CDATA sections are text, as Confluence stores code and labels of links.
 */
export function readMarkup(html: string, reader: MarkupReader): void {
  let hasCdataEnd = true;
  let at = 0;
  for (let open = html.indexOf("<"); open >= 0; open = html.indexOf("<", at)) {
    if (open > at) reader.text(decoded(html.slice(at, open)));
    NAME.lastIndex = open + 1;
    const written = NAME.exec(html)?.[0];
    if (written !== undefined) {
      at = readTag(html, open + 1, written, reader);
    } else if (html.startsWith("<!--", open)) {
      COMMENT_END.lastIndex = open + 2;
      at = COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
    } else {
      const end: number = hasCdataEnd && html.startsWith("<![CDATA[", open) ? html.indexOf("]]>", open + 9) : -2;
      hasCdataEnd &&= end !== -1;
      if (end >= 0) reader.text(html.slice(open + 9, end));
      // A lone "<" is a character of the text; declarations and processing instructions are not.
      const isMarkup = /[!?/]/.test(html.charAt(open + 1));
      if (!isMarkup) reader.text("<");
      at = end >= 0 ? end + 3 : isMarkup ? endOf(html, ">", open + 1) : open + 1;
    }
  }
  if (at < html.length) reader.text(decoded(html.slice(at)));
}

/** @returns where the tag ends; of elements that contain no markup, where their text ends */
function readTag(html: string, from: number, written: string, reader: MarkupReader): number {
  const tag = readAttributes(html, from + written.length);
  if (written.startsWith("/")) {
    reader.close(written.slice(1).toLowerCase());
    return tag.end;
  }
  const name = written.toLowerCase();
  const isClosed = tag.hasSlash && reader.closesBySlash(name);
  reader.open(name, tag.attributes, isClosed);
  if (isClosed || !RAW.has(name)) return tag.end;
  const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  closing.lastIndex = tag.end;
  const end = closing.exec(html)?.index ?? html.length;
  if (end > tag.end) reader.text(html.slice(tag.end, end));
  return end;
}

interface Tag {
  readonly end: number;
  readonly attributes: Attributes;
  readonly hasSlash: boolean;
}

const SPACES = /[\s/]*/y;
const ATTRIBUTE_NAME = /[^\s>][^\s/>=]*/y;
const EQUALS = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;

/** Returns what a sticky pattern finds at a position. */
function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** Reads a tag after its name. If it has no end, it goes on to the end of the page. */
function readAttributes(html: string, from: number): Tag {
  // Most tags have no attributes.
  if (html.charAt(from) === ">") return { end: from + 1, attributes: NONE, hasSlash: false };
  let attributes: Map<string, string> | undefined;
  let at = from;
  while (at < html.length) {
    const spaces = matchAt(SPACES, html, at);
    at += spaces.length;
    if (html.charAt(at) === ">") {
      return { end: at + 1, attributes: attributes ?? NONE, hasSlash: spaces.endsWith("/") };
    }
    const name = matchAt(ATTRIBUTE_NAME, html, at);
    at += name.length;
    const equals = matchAt(EQUALS, html, at);
    at += equals.length;
    let value = "";
    if (equals !== "") {
      const quote = html.charAt(at);
      if (quote === '"' || quote === "'") {
        const end = html.indexOf(quote, at + 1);
        if (end < 0) break;
        value = html.slice(at + 1, end);
        at = end + 1;
      } else {
        value = matchAt(UNQUOTED, html, at);
        at += value.length;
      }
    }
    const folded = name.toLowerCase();
    if (!ATTRIBUTES.has(folded) || attributes?.has(folded)) continue;
    attributes ??= new Map();
    attributes.set(folded, decoded(value));
  }
  return { end: html.length, attributes: NONE, hasSlash: false };
}

function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}
