import { extname } from "node:path";

/** The types that documents get in Gatehouse, with the endings that are read. */
const ENDINGS_OF_TYPES: Readonly<Record<string, string>> = {
  Page: "md markdown mdx html htm xhtml rst adoc asciidoc",
  Document: "txt text docx odt",
  Table: "csv tsv",
  PDF: "pdf",
  Presentation: "pptx odp",
  Spreadsheet: "xlsx ods",
  Email: "eml",
};

const TYPES = new Map(
  Object.entries(ENDINGS_OF_TYPES).flatMap(([type, endings]) => endings.split(" ").map((ending) => [ending, type])),
);

/** Older and similar formats that somebody may expect to be read. Everything else, such as pictures, is only counted. */
const TO_CONVERT: Readonly<Record<string, string>> = {
  doc: "save it as .docx",
  rtf: "save it as .docx",
  ppt: "save it as .pptx",
  xls: "save it as .xlsx",
  xlsm: "save it as .xlsx",
  docm: "save it as .docx",
  pages: "export it as PDF or .docx",
  numbers: "export it as .xlsx",
  key: "export it as PDF or .pptx",
  msg: "save it as .eml",
  zip: "unpack it",
};

/** Returns the ending of a name, in lower case and without the dot. */
export function endingOf(name: string): string {
  return extname(name).slice(1).toLowerCase();
}

export function isRead(format: string): boolean {
  return TYPES.has(format);
}

export function objectTypeOf(format: string): string {
  return TYPES.get(format) ?? "Document";
}

/** Says why a file is left out because of its format. */
export function whyNotRead(format: string): string {
  if (format === "") return "no ending that names a format";
  return Object.hasOwn(TO_CONVERT, format) ? `.${format} is not read: ${TO_CONVERT[format]}` : `.${format} is not read`;
}

export const FORMATS_HELP = `Markdown and MDX with front matter, HTML, text, reStructuredText, AsciiDoc, CSV, PDF, Word (.docx),
PowerPoint (.pptx), Excel (.xlsx), OpenDocument (.odt, .odp, .ods), email (.eml)`;
