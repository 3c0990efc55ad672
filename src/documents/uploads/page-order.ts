import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import type { Refused } from "#documents/refused.ts";
import type { PagePart, Removal } from "./uploads.ts";

/** The latest upload of a target, as stored. */
export interface Upload extends Removal {
  readonly uploadId: string;
  /** Pages are received and take effect at once. Then everything that they didn't contain is removed, or held before that. */
  readonly stage: "receiving" | "held" | "removing" | "done" | "given up";
  readonly generation: number;
  /** The hash of the first page. */
  readonly firstPage: string;
  readonly startedAt: number;
  /** How far the removal of names has looked. */
  readonly position: string;
  readonly received: number;
  readonly removed: number;
  /** Pages that were taken completely. */
  readonly pages: number;
}

/** The part of an upload that the order of its pages depends on. */
type OrderedUpload = Omit<Upload, "position" | "startedAt" | keyof Removal>;

/** What a page does: starts an upload that replaces another, adds to the one in progress, or was already taken. */
export type PageStep = "start" | "add" | "repeat" | Refused;

/** The most pages of an upload, which are all remembered. With 500 documents each, twice what a datasource may have. */
const PAGES_MAX = 20_000;

/**
 * Keeps the pages of an upload in order. A page that a pipeline repeats because it never got the response changes nothing. Any other
 * disorder is refused with advice, and nothing of the upload in progress is lost.
 *
 * @param upload the target's latest, if there is one
 * @param isKnown whether this page was taken completely
 */
export function nextStep(upload: OrderedUpload | undefined, page: PagePart, isKnown: boolean): PageStep {
  // Two uploads may start at once, and reach the other shards in another order than the first, which decides which one is newer.
  if (upload && page.generation !== undefined && page.generation !== upload.generation) {
    if (page.generation < upload.generation) return replaced(page);
    if (page.isFirst && page.isFirstPart) return "start";
  }
  // The parts after a page's first need the upload that took the first.
  if (!page.isFirstPart) return stepOfFollowing(upload, page, isKnown);
  return page.isFirst ? stepOfFirst(upload, page, isKnown) : stepOfLater(upload, page, isKnown);
}

function stepOfFollowing(upload: OrderedUpload | undefined, page: PagePart, isKnown: boolean): PageStep {
  if (isKnown && upload?.uploadId === page.uploadId) return "repeat";
  if (upload?.uploadId === page.uploadId && upload.stage === "receiving") return "add";
  if (upload?.uploadId === page.uploadId && upload.stage !== "given up") {
    return conflict(
      "upload_complete",
      `${named(upload)} of ${page.datasource} was completed while this page was being stored: start a new upload, and send its last page after the answers to all others`,
    );
  }
  return replaced(page);
}

function replaced({ datasource }: PagePart): Refused {
  return conflict(
    "upload_replaced",
    `Another upload of ${datasource} started while this page was being stored: only that one counts`,
  );
}

function stepOfFirst(upload: OrderedUpload | undefined, page: PagePart, isKnown: boolean): PageStep {
  if (!upload || upload.stage === "done" || upload.stage === "given up" || page.forceRestart) return "start";
  const isTheSame = upload.uploadId === page.uploadId && upload.firstPage === page.hash;
  // The response was lost: no other page has come since.
  if (isTheSame && isKnown && upload.pages === 1) return "repeat";
  // A complete upload has already taken effect. The new one also removes what it would have removed.
  if (upload.stage === "removing" || upload.stage === "held") return "start";
  // The first page was interrupted.
  if (isTheSame && upload.pages === 0) return "add";
  return conflict(
    "upload_under_way",
    `${named(upload)} of ${page.datasource} is under way, with ${upload.pages} pages so far: send its next page, or this first page with forceRestartUpload: true to start over`,
  );
}

function stepOfLater(upload: OrderedUpload | undefined, page: PagePart, isKnown: boolean): PageStep {
  if (!upload || upload.stage === "given up" || (upload.stage !== "receiving" && upload.uploadId !== page.uploadId)) {
    return conflict(
      "no_upload_under_way",
      `No upload of ${page.kind} of ${page.datasource} is in progress: start with the first page and isFirstPage: true`,
    );
  }
  if (upload.uploadId !== page.uploadId) {
    return conflict(
      "another_upload_under_way",
      `${named(upload)} of ${page.datasource} is under way, not ${JSON.stringify(page.uploadId)}: send its next page, or start over with isFirstPage and forceRestartUpload: true`,
    );
  }
  if (isKnown) return "repeat";
  if (upload.stage === "receiving" && upload.pages >= PAGES_MAX) {
    return {
      refused: "conflict",
      reason: "datasource_full",
      description: `${named(upload)} of ${page.datasource} has as many pages as an upload may have, ${PAGES_MAX}: put more items in a page`,
    };
  }
  if (upload.stage === "receiving") return "add";
  return conflict(
    "upload_complete",
    `${named(upload)} of ${page.datasource} is complete: start a new upload with isFirstPage: true`,
  );
}

function named(upload: Pick<Upload, "uploadId">): string {
  return `Upload ${JSON.stringify(upload.uploadId)}`;
}

function conflict(reason: RefusalReason, description: string): Refused {
  return { refused: "conflict", reason, description };
}
