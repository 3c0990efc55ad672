import { batchesOf } from "./batches.ts";
import { utf8Length } from "#protocol/utf8-length.ts";
import type { DocumentChange, IndexableDocument } from "./engine.ts";
import type { PagePart, UploadItem, UploadPage } from "./uploads/uploads.ts";

/** What one transaction takes: others wait for it, at most 35 ms, as `npm run bench:search` measures. */
const BYTES_A_STEP = 26_000;
const NAMES_A_STEP = 300;

/** What a document costs beside its texts, in bytes of these. */
const BYTES_OF_A_DOCUMENT = 2500;

/** Changes in steps that the store may take at once; a document that is larger than a step is one. */
export function stepsOfChanges(changes: readonly DocumentChange[]): readonly (readonly DocumentChange[])[] {
  return batchesOf(
    changes,
    (change) => (change.act === "put" ? bytesOf(change.document) : BYTES_OF_A_DOCUMENT),
    BYTES_A_STEP,
  );
}

/** A page in parts that the store may take at once; an empty page is one. */
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

/** Letters beyond ASCII take longer to read, and scripts that are cut by the character have the most words. */
function bytesOf({ title, body, keywords, summary }: IndexableDocument): number {
  return BYTES_OF_A_DOCUMENT + utf8Length(`${title}${body}${keywords}${summary ?? ""}`);
}
