import { extname } from "node:path";

/** The endings that are read, with the type that documents get in Gatehouse. */
const TYPES: Readonly<Record<string, string>> = {
  md: "Page",
  markdown: "Page",
  mdx: "Page",
  html: "Page",
  htm: "Page",
  xhtml: "Page",
  rst: "Page",
  adoc: "Page",
  asciidoc: "Page",
  txt: "Document",
  text: "Document",
  csv: "Table",
  tsv: "Table",
  pdf: "PDF",
  docx: "Document",
  odt: "Document",
  pptx: "Presentation",
  odp: "Presentation",
  xlsx: "Spreadsheet",
  ods: "Spreadsheet",
  eml: "Email",
};

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
  return Object.hasOwn(TYPES, format);
}

export function objectTypeOf(format: string): string {
  return TYPES[format] ?? "Document";
}

/** Says why a file is left out because of its format. */
export function whyNotRead(format: string): string {
  if (format === "") return "no ending that names a format";
  return Object.hasOwn(TO_CONVERT, format) ? `.${format} is not read: ${TO_CONVERT[format]}` : `.${format} is not read`;
}

export const FORMATS_HELP = `Markdown and MDX with front matter, HTML, text, reStructuredText, AsciiDoc, CSV, PDF, Word (.docx),
PowerPoint (.pptx), Excel (.xlsx), OpenDocument (.odt, .odp, .ods), email (.eml)`;
