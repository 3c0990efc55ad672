import { Parser } from "htmlparser2";
import { type Extracted, type Section, secondsOf, wordsOf } from "./extracted.ts";
import { sectionsOfHtml } from "./html.ts";
import { authorOf } from "./text.ts";
import { packed, unpack } from "./zip.ts";

/** Pictures, sounds and fonts are never unpacked. */
const isXml = (name: string) => /\.(?:xml|rels)$/i.test(name) || name === "mimetype";

/** Reads a Word document: its headings, lists, tables and footnotes. */
export async function readDocx(bytes: Uint8Array): Promise<Extracted> {
  const { default: mammoth } = await import("mammoth");
  const files = unpack(bytes, isXml);
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(packed(files)) });
  return { sections: sectionsOfHtml(value), ...propertiesOf(files, "docProps/core.xml") };
}

/** Reads the sheets of an Excel workbook, each as a document of its own. */
export async function readXlsx(bytes: Uint8Array): Promise<Extracted> {
  const { default: readSheets } = await import("read-excel-file/node");
  const files = unpack(bytes, isXml);
  const sheets = await readSheets(Buffer.from(packed(files)));
  const sections = sheets.map(({ sheet, data }) => ({ label: sheet, text: linesOf(data), isAlone: true }));
  return {
    sections: sections.filter(({ text }) => text !== ""),
    ...propertiesOf(files, "docProps/core.xml"),
  };
}

function linesOf(rows: readonly (readonly unknown[])[]): string {
  const shown = (cell: unknown) => {
    if (cell instanceof Date) return cell.toISOString().replace("T00:00:00.000Z", "");
    return ["string", "number", "boolean"].includes(typeof cell) ? `${cell as string | number | boolean}` : "";
  };
  return rows
    .map((row) =>
      row
        .map(shown)
        .join(" | ")
        .replace(/[ |]+$/, ""),
    )
    .filter((line) => line !== "")
    .join("\n");
}

/** Reads the slides of a presentation in their order, each with its notes. */
export function readPptx(bytes: Uint8Array): Extracted {
  const files = unpack(bytes, isXml);
  const targets = (part: string) => {
    const folder = part.replace(/[^/]*$/, "");
    const found = new Map<string, string>();
    eachTag(files.get(`${folder}_rels/${part.slice(folder.length)}.rels`), (name, { Id = "", Target = "" }) => {
      if (name === "Relationship") found.set(Id, new URL(Target, `zip:///${folder}`).pathname.slice(1));
    });
    return found;
  };
  const slides: string[] = [];
  const byId = targets("ppt/presentation.xml");
  eachTag(files.get("ppt/presentation.xml"), (name, attributes) => {
    if (name === "p:sldId") slides.push(byId.get(attributes["r:id"] ?? "") ?? "");
  });
  const sections = slides.map((slide, at): Section => {
    const notes = [...targets(slide).values()].find((part) => part.includes("notesSlide"));
    const text = [textOfXml(files.get(slide)), notes === undefined ? "" : textOfXml(files.get(notes))];
    return { label: `slide ${at + 1}`, text: text.filter((part) => part !== "").join("\n\n") };
  });
  return {
    sections: sections.filter(({ text }) => text !== ""),
    ...propertiesOf(files, "docProps/core.xml"),
  };
}

/** Reads a document, presentation or spreadsheet of OpenDocument. */
export function readOpenDocument(bytes: Uint8Array): Extracted {
  const files = unpack(bytes, isXml);
  const content = files.get("content.xml");
  if (!content) throw new Error("not an OpenDocument file: it has no content.xml");
  const isSheet = new TextDecoder().decode(files.get("mimetype")).includes("spreadsheet");
  const sections: { label: string | undefined; lines: Lines; isAlone: boolean }[] = [];
  let lines = new Lines();
  const begin = (label: string | undefined, isAlone = false) => {
    sections.push({ label, lines: (lines = new Lines()), isAlone });
  };
  begin(undefined);
  let [unseen, slides] = [0, 0];
  let heading: string | undefined;
  const parser = xmlParser({
    onopentag(name, attributes) {
      // What was deleted with changes recorded, and comments, are not part of the text.
      if (name === "text:tracked-changes" || name === "office:annotation") unseen += 1;
      if (name === "text:h" && Number(attributes["text:outline-level"] ?? 1) <= 2) {
        begin(undefined);
        heading = "";
      }
      if (name === "draw:page") begin(`slide ${(slides += 1)}`);
      if (name === "table:table" && isSheet) begin(attributes["table:name"], true);
      if (name === "table:table-cell") lines.openCell();
      if (name === "text:tab" || name === "text:s") lines.add(" ");
      if (name === "text:line-break") lines.end();
    },
    ontext(text) {
      if (unseen > 0) return;
      lines.add(text.replaceAll(/\s+/g, " "));
      if (heading !== undefined) heading += text;
    },
    onclosetag(name) {
      if (name === "text:tracked-changes" || name === "office:annotation") unseen -= 1;
      const section = sections.at(-1);
      if (name === "text:h" && heading !== undefined && section) {
        section.label ??= wordsOf(heading);
        heading = undefined;
      }
      if (name === "table:table-cell") lines.closeCell();
      if (name === "text:p" || name === "text:h" || name === "table:table-row") lines.end();
    },
  });
  parser.end(new TextDecoder().decode(content));
  return {
    sections: sections
      .map(({ lines: written, ...section }) => ({ ...section, text: written.text }))
      .filter(({ text }) => text !== ""),
    ...propertiesOf(files, "meta.xml"),
  };
}

/** Lines of text, in which the cells of a row stay on one line. */
class Lines {
  readonly #lines: string[] = [];
  #line = "";
  #cells = 0;

  add(text: string): void {
    this.#line += text;
  }

  /** Ends a line, or within a cell, a word. */
  end(): void {
    if (this.#cells > 0) return this.add(" ");
    const line = this.#line.replace(/[ |]+$/, "").trim();
    if (line !== "") this.#lines.push(line);
    this.#line = "";
  }

  openCell(): void {
    this.#cells += 1;
  }

  closeCell(): void {
    this.#cells -= 1;
    this.#line = `${this.#line.trimEnd()} | `;
  }

  get text(): string {
    this.end();
    return this.#lines.join("\n");
  }
}

type Attributes = Readonly<Record<string, string>>;

interface Handlers {
  onopentag(name: string, attributes: Attributes): void;
  ontext?(text: string): void;
  onclosetag?(name: string): void;
}

/** Doesn't read document types, so entities of a file's own stay unknown. */
function xmlParser(handlers: Handlers): Parser {
  return new Parser(handlers, { xmlMode: true, decodeEntities: true });
}

function eachTag(file: Uint8Array | undefined, act: (name: string, attributes: Attributes) => void): void {
  xmlParser({ onopentag: act }).end(new TextDecoder().decode(file));
}

/** Returns the text of a slide: runs, in paragraphs, with a line for each row of a table. */
function textOfXml(file: Uint8Array | undefined): string {
  const lines = new Lines();
  let isText = false;
  xmlParser({
    onopentag(name) {
      if (name === "a:t") isText = true;
      if (name === "a:tc") lines.openCell();
      if (name === "a:br") lines.end();
    },
    ontext(text) {
      if (isText) lines.add(text);
    },
    onclosetag(name) {
      if (name === "a:t") isText = false;
      if (name === "a:tc") lines.closeCell();
      if (name === "a:p" || name === "a:tr") lines.end();
    },
  }).end(new TextDecoder().decode(file));
  return lines.text;
}

/** Returns what a document says about itself. */
function propertiesOf(files: ReadonlyMap<string, Uint8Array>, part: string) {
  const found: Record<string, string> = {};
  let current = "";
  xmlParser({
    onopentag(name) {
      current = name;
    },
    ontext(text) {
      if (current !== "") found[current] = (found[current] ?? "") + text;
    },
    onclosetag() {
      current = "";
    },
  }).end(new TextDecoder().decode(files.get(part)));
  const title = wordsOf(found["dc:title"]);
  return {
    // What programs write by themselves is no title.
    title: title !== undefined && /^(PowerPoint Presentation|Untitled|Document\d*)$/i.test(title) ? undefined : title,
    author: authorOf(found["meta:initial-creator"] ?? found["dc:creator"]),
    createdAt: secondsOf(found["dcterms:created"] ?? found["meta:creation-date"]),
    updatedAt: secondsOf(found["dcterms:modified"] ?? found["dc:date"]),
  };
}
