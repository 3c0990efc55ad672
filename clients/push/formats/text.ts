import { parse } from "yaml";
import type { Author } from "../source.ts";
import { addressOf, type Extracted, type Section, secondsOf, wordsOf } from "./extracted.ts";

/** Longer front matter is no front matter. */
const FRONT_MATTER_CHARACTERS_MAX = 64 * 1024;

/** Returns a file's text, in UTF-8, UTF-16 or Windows-1252, with lines that end with a line feed. @throws if it is no text */
export function decode(bytes: Uint8Array): string {
  return decoded(bytes).replaceAll(/\r\n?/g, "\n");
}

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const utf16 =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  if (utf16) return new TextDecoder(utf16).decode(bytes);
  if (bytes.subarray(0, 65_536).includes(0)) throw new Error("not text, in spite of its name");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Reads plain text. It has no sections: where it is cut is decided by its length. */
export function readText(bytes: Uint8Array): Extracted {
  return { sections: [{ text: decode(bytes) }] };
}

/** Reads a table as lines of text. Every part of a long one begins with the line of headings. */
export function readTable(bytes: Uint8Array, charactersMax: number): Extracted {
  const text = decode(bytes);
  if (text.length <= charactersMax) return { sections: [{ text }] };
  const [headings = "", ...lines] = text.split("\n");
  const sections: Section[] = [];
  let part: string[] = [];
  let length = 0;
  const end = () => {
    const from = sections.reduce((sum, each) => sum + each.text.split("\n").length - 1, 1);
    if (part.length > 0) {
      sections.push({
        label: `rows ${from}–${from + part.length - 1}`,
        text: [headings, ...part].join("\n"),
        isAlone: true,
      });
    }
    [part, length] = [[], headings.length];
  };
  for (const line of lines) {
    if (length + line.length > charactersMax) end();
    part.push(line);
    length += line.length + 1;
  }
  end();
  return { sections };
}

/** Reads Markdown or MDX with its front matter. */
export function readMarkdown(bytes: Uint8Array, format: string): Extracted {
  const whole = decode(bytes);
  const { matter, text } = frontMatterOf(whole);
  const body = format === "mdx" ? withoutModules(text) : text;
  const sections = sectionsByHeading(body, /^#{1,2}\s+(.+?)\s*#*$/);
  const heading = sections.find(({ label }) => label !== undefined)?.label;
  const { title, description, summary, author, authors, tags, keywords } = matter;
  return {
    mimeType: "text/markdown",
    sections,
    title: wordsOf(title) ?? heading,
    summary: wordsOf(description) ?? wordsOf(summary),
    author: authorOf(author ?? (Array.isArray(authors) ? authors[0] : authors)),
    tags: listOf(tags ?? keywords),
    createdAt: firstTime(matter, ["created", "date", "published", "createdAt"]),
    updatedAt: firstTime(matter, ["updated", "lastmod", "last_modified_at", "modified", "updatedAt", "date"]),
  };
}

/** Stands before a heading while a text is cut. No text uses this character of the private area. */
const HEADING = "\u{e000}";

/** Reads reStructuredText or AsciiDoc as text, with its headings. */
export function readMarkup(bytes: Uint8Array, format: string): Extracted {
  const text = decode(bytes);
  // In reStructuredText, a heading is underlined. In AsciiDoc, it begins with equals signs.
  const sections =
    format === "rst"
      ? sectionsByHeading(
          text.replaceAll(/^(\S.*)\n([=\-~^"'#*+])\2{2,}$/gm, `${HEADING}$1`),
          new RegExp(`^${HEADING}(.+)$`),
        )
      : sectionsByHeading(text, /^={1,2}\s+(.+)$/);
  return {
    sections: sections.map((section) => ({ ...section, text: section.text.replaceAll(HEADING, "") })),
    title: sections.find(({ label }) => label !== undefined)?.label,
  };
}

/** Cuts a text at its headings, except in blocks of code. */
export function sectionsByHeading(text: string, heading: RegExp): Section[] {
  const sections: { label?: string; lines: string[] }[] = [{ lines: [] }];
  let fence = "";
  for (const line of text.split("\n")) {
    const [mark = ""] = /^\s{0,3}(```|~~~|----|\.\.\.\.)/.exec(line)?.slice(1) ?? [];
    if (mark !== "" && (fence === "" || fence === mark)) fence = fence === "" ? mark : "";
    const [, label] = (fence === "" && heading.exec(line)) || [];
    if (label !== undefined) sections.push({ label, lines: [line] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections
    .map(({ label, lines }) => ({ label, text: lines.join("\n").trim() }))
    .filter((section) => section.text !== "");
}

function frontMatterOf(text: string): { readonly matter: Readonly<Record<string, unknown>>; readonly text: string } {
  const [whole, yaml = ""] = /^\u{feff}?---[ \t]*\n([\s\S]*?\n)(?:---|\.\.\.)[ \t]*(?:\n|$)/u.exec(text) ?? [];
  if (whole === undefined || yaml.length > FRONT_MATTER_CHARACTERS_MAX) return { matter: {}, text };
  try {
    // Without a schema that creates anything but plain data; aliases are limited, because they can grow without end.
    const matter: unknown = parse(yaml, { maxAliasCount: 10, logLevel: "error" });
    const isMap = typeof matter === "object" && matter !== null && !Array.isArray(matter);
    return isMap ? { matter: matter as Record<string, unknown>, text: text.slice(whole.length) } : { matter: {}, text };
  } catch {
    // Something else between two rules: part of the text.
    return { matter: {}, text };
  }
}

/** Removes the imports and exports of MDX, which are code and not text. */
function withoutModules(text: string): string {
  return text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part) => (part.startsWith("```") ? part : part.replaceAll(/^(?:import|export)\s.*(?:\n(?!\n).*)*/gm, "")))
    .join("");
}

/** Reads `Ada Marlow <ada@acme.example>`, or an object with name and email. */
export function authorOf(written: unknown): Author | undefined {
  const parts =
    typeof written === "string" ? /^\s*(?<name>[^<]*?)\s*(?:<(?<email>[^>]*)>)?\s*$/.exec(written)?.groups : written;
  const { name, email } = (parts ?? {}) as { readonly name?: unknown; readonly email?: unknown };
  const known = wordsOf(name)?.slice(0, 200);
  const address = addressOf(email);
  if (known === undefined && address === undefined) return undefined;
  return { ...(known !== undefined && { name: known }), ...(address !== undefined && { email: address }) };
}

function listOf(written: unknown): string[] | undefined {
  const list = typeof written === "string" ? written.split(",") : Array.isArray(written) ? written : [];
  const words = list.map(wordsOf).filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words;
}

function firstTime(matter: Readonly<Record<string, unknown>>, names: readonly string[]): number | undefined {
  return names.map((name) => secondsOf(matter[name])).find((time) => time !== undefined);
}
