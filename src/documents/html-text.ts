/** Elements whose content isn't read as prose. */
const UNREAD = new Set(["script", "style", "template", "noscript", "head", "svg", "math", "iframe", "object"]);

/** In addition, elements that are the same on every page of a site. */
const UNREAD_OR_FRAME: ReadonlySet<string> = new Set([...UNREAD, "nav", "footer"]);

/** Elements within a line: the text before and after them may be one word. All others end a line. */
const INLINE = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);

/** HTML's names of U+00A0 to U+00FF, in order. */
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml".split(
    " ",
  );

/** The named character references that prose uses. Any other stays as written. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["sbquo", "‚"],
  ["ldquo", "“"],
  ["rdquo", "”"],
  ["bdquo", "„"],
  ["bull", "•"],
  ["hellip", "…"],
  ["euro", "€"],
  ["trade", "™"],
  ["larr", "←"],
  ["rarr", "→"],
  ["minus", "−"],
  ["le", "≤"],
  ["ge", "≥"],
  ["ensp", "\u2002"],
  ["emsp", "\u2003"],
  ["thinsp", "\u2009"],
  ["zwnj", "\u200c"],
  ["zwj", "\u200d"],
  ...LATIN.map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
]);

const REFERENCE = /&(?:#(?<decimal>\d{1,7})|#[xX](?<hexadecimal>[\da-fA-F]{1,6})|(?<name>[A-Za-z][A-Za-z\d]{1,7}));/g;

/**
 * Extracts the text of an HTML page or fragment as a reader sees it: no markup, no scripts or styles, decoded references, one
 * line per block. Navigation and footer are left out unless there is nothing else. The text is for a full-text index, so markup
 * isn't repaired as in a browser.
 *
 * It takes one pass: every search for the end of something starts after the last end, and a missing end is searched for only
 * once.
 */
export function textOfHtml(html: string): string {
  return textWithout(html, UNREAD_OR_FRAME) || textWithout(html, UNREAD);
}

function textWithout(html: string, unread: ReadonlySet<string>): string {
  const parts: string[] = [];
  const closing = new Map<string, boolean>();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) break;
    parts.push(html.slice(at, open));
    if (html.startsWith("<!--", open)) {
      at = endOf(html, "-->", open + 4);
      continue;
    }
    const name = tagName(html, open + 1);
    if (name === undefined) {
      // A lone "<" is a character of the text; declarations and processing instructions are not.
      const isMarkup = /[!?/]/.test(html.charAt(open + 1));
      if (!isMarkup) parts.push("<");
      at = isMarkup ? endOf(html, ">", open + 1) : open + 1;
      continue;
    }
    at = endOfTag(html, open + 1 + name.length);
    const element = name.replace("/", "").toLowerCase();
    if (!INLINE.has(element)) parts.push("\n");
    if (!name.startsWith("/") && unread.has(element) && closing.get(element) !== false) {
      const end = indexOfClosing(html, element, at);
      closing.set(element, end >= 0);
      if (end >= 0) at = end;
    }
  }
  parts.push(html.slice(at));
  return decoded(parts.join("").replace(/[ \t\r\f]+/g, " "))
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

/** Returns the name after "<", with the slash of an end tag; `undefined` if no tag begins there. */
function tagName(html: string, at: number): string | undefined {
  return /^\/?[A-Za-z][A-Za-z\d:-]{0,31}/.exec(html.slice(at, at + 33))?.[0];
}

/** Returns the position after the tag's ">". Attribute values in quotes, which follow "=", may contain one as well. */
function endOfTag(html: string, from: number): number {
  let quote = "";
  let before = "";
  for (let at = from; at < html.length; at += 1) {
    const character = html.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") {
      return at + 1;
    } else if (before === "=" && (character === '"' || character === "'")) {
      quote = character;
    }
    if (character.trim() !== "") before = character;
  }
  return html.length;
}

function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

/** Returns where the element's end tag begins; -1: there is none. */
function indexOfClosing(html: string, element: string, from: number): number {
  for (let at = html.indexOf("</", from); at >= 0; at = html.indexOf("</", at + 2)) {
    if (html.slice(at + 2, at + 2 + element.length).toLowerCase() === element) return at;
  }
  return -1;
}

function decoded(text: string): string {
  return text.replace(REFERENCE, (written, _d, _h, _n, _at, _all, groups: Record<string, string | undefined>) => {
    const { decimal, hexadecimal, name } = groups;
    if (name !== undefined) return NAMED.get(name) ?? written;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\ufffd";
  });
}
