/** The thread in which files are read. Its caller ends it if a file takes too long or too much memory. */
import { parentPort } from "node:worker_threads";
import type { Extracted } from "./extracted.ts";

/** A file to read. */
export interface Order {
  readonly format: string;
  readonly bytes: Uint8Array;
  /** How long a document should be at most. */
  readonly charactersMax: number;
}

export type Outcome = { readonly extracted: Extracted } | { readonly problem: string };

/** Libraries are loaded when the first file of their format comes. */
async function read({ format, bytes, charactersMax }: Order): Promise<Extracted> {
  switch (format) {
    case "md":
    case "markdown":
    case "mdx":
      return (await import("./text.ts")).readMarkdown(bytes, format);
    case "rst":
    case "adoc":
    case "asciidoc":
      return (await import("./text.ts")).readMarkup(bytes, format);
    case "html":
    case "htm":
    case "xhtml":
      return (await import("./html.ts")).readHtml(bytes);
    case "csv":
    case "tsv":
      return (await import("./text.ts")).readTable(bytes, charactersMax);
    case "pdf":
      return (await import("./pdf.ts")).readPdf(bytes);
    case "docx":
      return (await import("./office.ts")).readDocx(bytes);
    case "xlsx":
      return (await import("./office.ts")).readXlsx(bytes);
    case "pptx":
      return (await import("./office.ts")).readPptx(bytes);
    case "odt":
    case "odp":
    case "ods":
      return (await import("./office.ts")).readOpenDocument(bytes);
    case "eml":
      return (await import("./email.ts")).readEmail(bytes);
    default:
      return (await import("./text.ts")).readText(bytes);
  }
}

parentPort?.on("message", (order: Order) => {
  void read(order)
    .then(
      (extracted): Outcome => ({ extracted }),
      (error: unknown): Outcome => ({ problem: error instanceof Error ? error.message : String(error) }),
    )
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    .then((outcome) => parentPort?.postMessage(outcome));
});
