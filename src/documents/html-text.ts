import { type Heading, HEADINGS_MAX } from "./anchors.ts";
import { Lines, type Mark } from "./html/lines.ts";
import { type Look, lookOf, plainLook } from "./html/look.ts";
import { type Attributes, type MarkupReader, readMarkup } from "./html/markup.ts";
import { Sheet } from "./html/sheet.ts";

/** The text of a page, and how much of what it contains a reader doesn't see. */
export interface HtmlText {
  readonly text: string;
  readonly hiddenCharacters: number;
  /** In order, those that the page can be opened at. */
  readonly headings: readonly Heading[];
}

/**
 * Extracts the text of an HTML page or fragment as a reader sees it: no markup, no scripts or styles, nothing hidden. A paragraph, a list's
 * entry and a table's row are a line each, and code keeps its lines. Navigation and footer are left out unless there is nothing else.
 *
 * Elements are nested as in a browser, because what ends a hidden element decides what is seen: a page with mistakes must not lose text.
 */
export function textOfHtml(html: string): HtmlText {
  const sheet = sheetOf(html);
  const found = new PageReader(html, sheet, true).read();
  return found.text === "" ? new PageReader(html, sheet, false).read() : found;
}

const words = (list: string) => new Set(list.split(" "));

/** Elements within a line: the text before and after them may be one word. All others end a line. */
const INLINE = words(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rb rp rt ruby s samp small span strike strong sub sup time " +
    "tspan tt u var wbr img input svg math ac:link ac:plain-text-link-body ac:link-body ri:page",
);

/** Elements that a browser opens again if something around them ends before they do. */
const FORMATTING = words("a b big code em font i nobr s small strike strong tt u");

const VOID = words(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
);

/** Elements whose content isn't text of the page, and those that are drawings' own. */
const UNREAD = words(
  "script style template noscript title iframe noembed noframes object audio video canvas datalist annotation annotation-xml",
);
const UNREAD_IN_DRAWINGS = words("desc defs metadata symbol clippath mask marker pattern filter");

/** Elements that are the same on every page of a site. */
const FRAME = words("nav footer");
const FRAME_ROLE = /^(?:navigation|search|contentinfo)$/i;
const FRAME_CLASS = /(?:^|\s)(?:breadcrumbs?|navheader|navfooter|spirit-nav)(?:\s|$)/i;

/** Elements before which a paragraph has ended. */
const ENDING_PARAGRAPHS = words(
  "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header " +
    "hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp",
);

/** Elements that end others of a kind, which have no end tag, and what they can't reach beyond. */
const ENDING = new Map<string, readonly [ended: ReadonlySet<string>, within: ReadonlySet<string>]>([
  ["li", [words("li"), words("ul ol menu dir")]],
  ["dt", [words("dt dd"), words("dl")]],
  ["dd", [words("dt dd"), words("dl")]],
  ["option", [words("option"), words("select datalist optgroup")]],
  ["td", [words("td th"), words("tr")]],
  ["th", [words("td th"), words("tr")]],
  ["tr", [words("tr"), words("tbody thead tfoot")]],
  ["tbody", [words("tbody thead tfoot caption"), words("table")]],
  ["thead", [words("tbody thead tfoot caption"), words("table")]],
  ["tfoot", [words("tbody thead tfoot caption"), words("table")]],
]);

/** Elements out of which no end tag reaches, unless it belongs to a part of the same table. */
const SCOPES = words("table td th caption template object");
const TABLE_PARTS = words("table tbody thead tfoot tr td th caption");

const PREFORMATTED = words("pre listing xmp textarea ac:plain-text-body");

/** Browsers nest no deeper either. */
const DEPTH_MAX = 512;

/** How often the look of an open element may change, because an end tag is misplaced: more often than by mistake. */
const CHANGES_MAX = 10_000;

/** An open element. */
interface Entry {
  readonly name: string;
  readonly attributes: Attributes;
  look: Look;
  readonly isUnread: boolean;
  readonly isCode: boolean;
  /** What may turn out, when it ends, not to belong to the text. */
  readonly mark: Mark | null;
  /** The number of the next entry of an ordered list. */
  next: number | null;
}

const HEADING = /^h[1-6]$/;
const HEADING_CHARACTERS_MAX = 300;

function isHeading({ name }: Entry): boolean {
  return HEADING.test(name);
}

class PageReader implements MarkupReader {
  readonly #html: string;
  readonly #sheet: Sheet;
  readonly #leavesOutFrame: boolean;
  readonly #lines = new Lines();
  readonly #entries: Entry[] = [];
  /** By name: open elements, and those that are nested too deep to be entries. */
  readonly #open = new Map<string, number>();
  readonly #deeper = new Map<string, number>();
  readonly #isXml: boolean;
  #page: Look;
  #hidden = 0;
  #changes = 0;
  /** What a link in Confluence shows if it has no text of its own. */
  #linked = "";
  readonly #headings: Heading[] = [];
  /** The id of an element that has begun right before the text, which may be the section's whose heading comes. */
  #id = "";

  constructor(html: string, sheet: Sheet, leavesOutFrame: boolean) {
    this.#html = html;
    this.#sheet = sheet;
    this.#leavesOutFrame = leavesOutFrame;
    this.#isXml = /^\s*<\?xml\s/.test(html);
    // Styles of another file may give the page another background.
    this.#page = plainLook(/<link\s[^>]{0,300}\bstylesheet/i.test(html) ? null : 0xffffff);
  }

  read(): HtmlText {
    readMarkup(this.#html, this);
    return { text: this.#lines.toString(), hiddenCharacters: this.#hidden, headings: this.#headings };
  }

  text(chunk: string): void {
    const top = this.#entries.at(-1);
    if (top?.isUnread) return;
    if (this.#id !== "" && chunk.trim() !== "" && !this.#entries.some(isHeading)) this.#id = "";
    if (top?.look.isHidden) this.#hidden += chunk.trim().length;
    else this.#lines.text(chunk, top?.isCode === true);
  }

  closesBySlash(name: string): boolean {
    return this.#isXml || name.includes(":") || this.#isOpen("svg") || this.#isOpen("math");
  }

  open(name: string, attributes: Attributes, isClosed: boolean): void {
    if (name === "html" || name === "body") return this.#openPage(name, attributes);
    if (name === "head") return;
    this.#endBefore(name);
    const isInline = INLINE.has(name) || this.#isOpen("math");
    if (isInline) {
      if (name === "img" || name === "input") this.text(" ");
    } else if (name !== "td" && name !== "th") this.#lines.end();
    const id = attributes.get("id") ?? (name === "a" ? attributes.get("name") : undefined);
    if (id && !this.#entries.some((one) => isHeading(one) && one.attributes.has("id"))) this.#id = id;
    if (name === "ri:page") this.#linked = attributes.get("ri:content-title") ?? "";
    if (isClosed || VOID.has(name)) return;
    if (this.#entries.length >= DEPTH_MAX) {
      this.#deeper.set(name, (this.#deeper.get(name) ?? 0) + 1);
      return;
    }
    const parent = this.#entries.at(-1);
    const look = lookOf(parent?.look ?? this.#page, name, attributes, this.#sheet);
    const isUnread = parent?.isUnread === true || this.#isUnread(name, attributes);
    if (name === "tr") this.#lines.startRow();
    if (name === "td" || name === "th") this.#lines.startCell();
    if (name === "li" && !look.isHidden && !isUnread) this.#lines.startEntry(this.#signOfEntry());
    this.#entries.push({
      name,
      attributes,
      look,
      isUnread,
      isCode: parent?.isCode === true || PREFORMATTED.has(name),
      mark: this.#mayBeLeftOut(name, attributes) || HEADING.test(name) ? this.#lines.mark() : null,
      next: name === "ol" ? Number.parseInt(attributes.get("start") ?? "1", 10) || 0 : null,
    });
    this.#count(name, 1);
  }

  /** Takes colours of the page itself. Whatever else hides it, a script shows it. */
  #openPage(name: string, attributes: Attributes): void {
    const { ink, paper } = lookOf(this.#page, name, attributes, this.#sheet);
    this.#page = { ...plainLook(paper), ink };
  }

  #isUnread(name: string, attributes: Attributes): boolean {
    if (UNREAD.has(name)) return true;
    if (name === "ac:parameter") return attributes.get("ac:name") !== "title";
    return UNREAD_IN_DRAWINGS.has(name) && this.#isOpen("svg");
  }

  #mayBeLeftOut(name: string, attributes: Attributes): boolean {
    return (
      this.#isFrame(name, attributes) ||
      attributes.get("aria-hidden")?.toLowerCase() === "true" ||
      (name === "a" && attributes.has("href")) ||
      name === "ac:link"
    );
  }

  #isFrame(name: string, attributes: Attributes): boolean {
    return (
      this.#leavesOutFrame &&
      (FRAME.has(name) ||
        FRAME_ROLE.test(attributes.get("role") ?? "") ||
        FRAME_CLASS.test(attributes.get("class") ?? ""))
    );
  }

  #signOfEntry(): string {
    const list = this.#entries.findLast(({ name }) => name === "ol" || name === "ul" || name === "menu");
    const depth = (this.#open.get("ol") ?? 0) + (this.#open.get("ul") ?? 0);
    const indent = "  ".repeat(Math.min(Math.max(depth - 1, 0), 10));
    if (!list || list.next === null) return `${indent}- `;
    list.next += 1;
    return `${indent}${list.next - 1}. `;
  }

  /** Ends the elements that a start tag ends. */
  #endBefore(name: string): void {
    if (ENDING_PARAGRAPHS.has(name)) {
      if (this.#isOpen("svg") && !this.#isOpen("foreignobject")) {
        this.#endFrom(
          this.#entries.findLastIndex((one) => one.name === "svg"),
          false,
        );
      }
      if (this.#isOpen("p")) this.#endFrom(this.#placeOf("p"), false);
      if (HEADING.test(name) && HEADING.test(this.#entries.at(-1)?.name ?? "")) {
        this.#endFrom(this.#entries.length - 1, false);
      }
    } else if ((name === "a" || name === "button") && this.#isOpen(name)) this.close(name);
    const [ended, within] = ENDING.get(name) ?? [];
    if (!ended || !within || ![...ended].some((one) => this.#isOpen(one))) return;
    const place = this.#entries.findLastIndex(
      (one) => ended.has(one.name) || within.has(one.name) || one.name === "table",
    );
    if (place >= 0 && ended.has(this.#entries[place]?.name ?? "")) this.#endFrom(place, false);
  }

  close(name: string): void {
    const deeper = this.#deeper.get(name) ?? 0;
    if (deeper > 0) this.#deeper.set(name, deeper - 1);
    else if (this.#isOpen(name)) this.#endFrom(this.#placeOf(name), true);
    if (!INLINE.has(name) && !TABLE_PARTS.has(name) && !this.#isOpen("math")) this.#lines.end();
  }

  /** Returns which entry an end tag ends; -1: none. */
  #placeOf(name: string): number {
    const isPart = TABLE_PARTS.has(name);
    const isWeak = INLINE.has(name) && !FORMATTING.has(name);
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const one = this.#entries[at]?.name ?? "";
      if (one === name) return at;
      if (isPart ? one === "table" : SCOPES.has(one) || (isWeak && !INLINE.has(one))) return -1;
    }
    return -1;
  }

  /**
   * Ends an element and those in it. Formatting goes on: after `<p><b hidden>one</p>`, what follows is hidden as well, until `</b>`.
   *
   * @param isWritten whether the page has its end tag
   */
  #endFrom(place: number, isWritten: boolean): void {
    if (place < 0) return;
    const [ended, ...inside] = this.#entries.splice(place) as [Entry, ...Entry[]];
    const isFormat = FORMATTING.has(ended.name);
    const kept = new Set(
      inside.filter((one, at) => {
        if (isFormat) return !INLINE.has(one.name) || FORMATTING.has(one.name);
        const around = (inside[at - 1] ?? ended).look;
        return FORMATTING.has(one.name) && !SCOPES.has(ended.name) && one.look !== around && one.look.isHidden;
      }),
    );
    for (const one of inside.toReversed()) if (!kept.has(one)) this.#leave(one, false);
    this.#leave(ended, isWritten && kept.size === 0);
    let look = this.#entries.at(-1)?.look ?? this.#page;
    const isSame = ended.look === look || (this.#changes += kept.size) > CHANGES_MAX;
    for (const one of kept) {
      look = isSame ? one.look : lookOf(look, one.name, one.attributes, this.#sheet);
      this.#entries.push({ ...one, look, mark: null });
    }
  }

  #leave({ name, attributes, mark }: Entry, isWritten: boolean): void {
    this.#count(name, -1);
    if (name === "tr") this.#lines.endRow();
    if (!mark || !isWritten) return;
    if (HEADING.test(name)) this.#keepHeading(mark);
    if (name === "ac:link") {
      if (this.#lines.since(mark, 1) === "") this.#lines.text(this.#linked, false);
      this.#linked = "";
    } else if (this.#isFrame(name, attributes) || this.#isDecoration(name, attributes, mark)) this.#lines.cutBack(mark);
  }

  #keepHeading(mark: Mark): void {
    const text = this.#lines.since(mark, HEADING_CHARACTERS_MAX)?.replace(/\s+/g, " ");
    const isOfPage = !this.#entries.some((one) => this.#isFrame(one.name, one.attributes));
    if (text && this.#id !== "" && isOfPage && this.#headings.length < HEADINGS_MAX) {
      this.#headings.push({ text, fragment: this.#id });
    }
    this.#id = "";
  }

  /** Whether an element is a sign or a picture made of letters: a link to its own place, or hidden from those who can't see it. */
  #isDecoration(name: string, attributes: Attributes, mark: Mark): boolean {
    const isAside = attributes.get("aria-hidden")?.toLowerCase() === "true";
    if (isAside && INLINE.has(name)) return true;
    const text = this.#lines.since(mark, isAside ? 40 : 4);
    return (
      text !== null &&
      (isAside ? !/\s/.test(text) : attributes.get("href")?.startsWith("#") === true && /^[¶§#🔗]$/u.test(text))
    );
  }

  #isOpen(name: string): boolean {
    return (this.#open.get(name) ?? 0) > 0;
  }

  #count(name: string, by: number): void {
    this.#open.set(name, (this.#open.get(name) ?? 0) + by);
  }
}

/** Reads the rules of a page's own `style` elements, which may come after what they hide. */
function sheetOf(html: string): Sheet {
  const sheet = new Sheet();
  if (!/<style/i.test(html)) return sheet;
  let isStyle = false;
  // Styles in a template apply to nothing outside of it.
  let templates = 0;
  readMarkup(html, {
    text: (chunk) => {
      if (isStyle) sheet.add(chunk);
    },
    open: (name, attributes) => {
      if (name === "template") templates += 1;
      isStyle = name === "style" && templates === 0 && /^(?:all|screen|)$/i.test(attributes.get("media")?.trim() ?? "");
    },
    close: (name) => {
      if (name === "template") templates -= 1;
      isStyle = false;
    },
    closesBySlash: () => false,
  });
  return sheet;
}
