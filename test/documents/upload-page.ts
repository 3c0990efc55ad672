import type { PagePart } from "#documents/uploads/uploads.ts";
import { DATASOURCE } from "./world.ts";

/** Makes an upload's page, in one part. By default, it is empty and in the middle of an upload of documents. */
export function uploadPage(given: Partial<PagePart> = {}): PagePart {
  return {
    kind: "documents",
    datasource: DATASOURCE,
    groupName: "",
    uploadId: "nightly",
    hash: "page",
    isFirst: false,
    isLast: false,
    isFirstPart: true,
    isLastPart: true,
    forceRestart: false,
    isUnchecked: false,
    items: [],
    ...given,
  };
}
