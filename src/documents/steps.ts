import { batchesOf } from "./batches.ts";
import { utf8Length } from "#protocol/utf8-length.ts";
import type { DocumentChange, IndexableDocument, Principal } from "./engine.ts";
import type { PagePart, UploadItem, UploadPage } from "./uploads/uploads.ts";

/** The limits of one transaction. Other requests wait for it for at most 35 ms, as `npm run bench:search` measures. */
const BYTES_A_STEP = 26_000;
const NAMES_A_STEP = 300;

/** What a document costs in addition to its texts and principals, in bytes of text. */
const BYTES_OF_A_DOCUMENT = 2500;
/** What each principal of a document costs, in bytes of text. Each group of an intersection costs the same. */
const BYTES_OF_A_PRINCIPAL = 4;

/** Splits changes into steps that are one transaction each. A document larger than a step is a step by itself. */
export function stepsOfChanges(changes: readonly DocumentChange[]): readonly (readonly DocumentChange[])[] {
  return batchesOf(changes, bytesOfChange, BYTES_A_STEP);
}

function bytesOfChange(change: DocumentChange): number {
  if (change.act === "put") return bytesOf(change.document);
  return BYTES_OF_A_DOCUMENT + (change.act === "permit" ? bytesNamed(change.principals) : 0);
}

/** Splits a page into parts that are one transaction each. An empty page is one part. */
export function partsOf(page: UploadPage): PagePart[] {
  const weightOf = (item: UploadItem) =>
    item.kind === "documents" ? bytesOf(item.document) : Math.floor(BYTES_A_STEP / NAMES_A_STEP);
  const parts = batchesOf<UploadItem>(page.items, weightOf, BYTES_A_STEP);
  return (parts.length === 0 ? [[]] : parts).map((items, at) => ({
    ...page,
    items,
    isFirstPart: at === 0,
    isLastPart: at >= parts.length - 1,
  }));
}

/**
 * Returns what a document costs in bytes, because letters beyond ASCII take longer to read, and scripts that are cut by character
 * have the most words.
 */
function bytesOf({ title, body, keywords, summary, principals }: IndexableDocument): number {
  return BYTES_OF_A_DOCUMENT + utf8Length(`${title}${body}${keywords}${summary ?? ""}`) + bytesNamed(principals);
}

function bytesNamed(principals: readonly Principal[]): number {
  const groups = principals.reduce(
    (sum, { kind, name }) => sum + (kind === "intersection" ? (JSON.parse(name) as string[]).length : 0),
    principals.length,
  );
  return groups * BYTES_OF_A_PRINCIPAL;
}
