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

type Reader = (order: Order) => Promise<Extracted>;

/** Who reads which endings; everything else is text. Libraries are loaded when the first file of their format comes. */
const READERS: readonly (readonly [endings: string, read: Reader])[] = [
  ["md markdown mdx", async ({ bytes, format }) => (await import("./text.ts")).readMarkdown(bytes, format)],
  ["rst adoc asciidoc", async ({ bytes, format }) => (await import("./text.ts")).readMarkup(bytes, format)],
  ["csv tsv", async ({ bytes, charactersMax }) => (await import("./text.ts")).readTable(bytes, charactersMax)],
  ["html htm xhtml", async ({ bytes }) => (await import("./html.ts")).readHtml(bytes)],
  ["pdf", async ({ bytes }) => (await import("./pdf.ts")).readPdf(bytes)],
  ["docx", async ({ bytes }) => (await import("./office.ts")).readDocx(bytes)],
  ["xlsx", async ({ bytes }) => (await import("./office.ts")).readXlsx(bytes)],
  ["pptx", async ({ bytes }) => (await import("./office.ts")).readPptx(bytes)],
  ["odt odp ods", async ({ bytes }) => (await import("./office.ts")).readOpenDocument(bytes)],
  ["eml", async ({ bytes }) => (await import("./email.ts")).readEmail(bytes)],
];

async function read(order: Order): Promise<Extracted> {
  const [, reader] = READERS.find(([endings]) => endings.split(" ").includes(order.format)) ?? [];
  return reader ? reader(order) : (await import("./text.ts")).readText(order.bytes);
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
