import { ApiError } from "#protocol/errors.ts";
import type { UploadPage } from "./upload-page.ts";

/** An upload of a datasource, as it is stored. */
export interface Upload {
  readonly id: string;
  readonly instanceId: number;
  readonly datasource: string;
  readonly uploadId: string;
  /** Documents are received; then stored, which makes them visible; then what was not among them is removed. */
  readonly stage: "receiving" | "storing" | "removing" | "done";
  /** Hashes of pages. */
  readonly firstPage: string;
  readonly latestPage: string;
  readonly documents: number;
  readonly bytes: number;
  readonly stored: number;
  readonly removed: number;
  /** The id up to which the present stage is done. */
  readonly position: string;
}

/** What a page does: starts an upload (in the place of another), adds to the one under way, or was taken already. */
export type PageStep =
  | { readonly act: "start"; readonly inPlaceOf: string | undefined }
  | { readonly act: "add"; readonly to: string }
  | { readonly act: "repeat" };

/** How long storing what was uploaded may take before it is worth asking again. */
const RETRY_AFTER_SECONDS = 10;

/**
 * Holds the pages of an upload in order: a page that a pipeline repeats because it never saw the answer changes nothing, and any
 * other disorder is refused with what to do about it, and loses nothing of the upload under way.
 *
 * @param upload the datasource's latest, under way or done
 * @throws {ApiError} `conflict`
 */
export function nextStep(upload: Upload | undefined, page: UploadPage): PageStep {
  return page.isFirst ? stepOfFirst(upload, page) : stepOfLater(upload, page);
}

function stepOfFirst(upload: Upload | undefined, page: UploadPage): PageStep {
  if (!upload || upload.stage === "done") return { act: "start", inPlaceOf: upload?.id };
  const isTheOnlyPage = upload.firstPage === upload.latestPage;
  const isRepeated = upload.uploadId === page.uploadId && upload.firstPage === page.hash && isTheOnlyPage;
  if (page.forceRestart) return { act: "start", inPlaceOf: upload.id };
  if (isRepeated) return { act: "repeat" };
  if (upload.stage !== "receiving") {
    throw conflict(
      "upload_being_stored",
      `${named(upload)} of ${page.datasource} is complete and being stored, ${upload.stored} of ${upload.documents} documents so far: try again later, or begin anew with forceRestartUpload: true`,
      RETRY_AFTER_SECONDS,
    );
  }
  throw conflict(
    "upload_under_way",
    `${named(upload)} of ${page.datasource} is under way with ${upload.documents} documents: send its next page, or this first page with forceRestartUpload: true to drop them`,
  );
}

function stepOfLater(upload: Upload | undefined, page: UploadPage): PageStep {
  if (!upload || (upload.stage === "done" && upload.uploadId !== page.uploadId)) {
    throw conflict(
      "no_upload_under_way",
      `No upload of ${page.datasource} is under way: begin with the first page and isFirstPage: true`,
    );
  }
  if (upload.uploadId !== page.uploadId) {
    throw conflict(
      "another_upload_under_way",
      `${named(upload)} of ${page.datasource} is under way, not ${JSON.stringify(page.uploadId)}: send its next page, or begin anew with isFirstPage and forceRestartUpload: true`,
    );
  }
  if (upload.latestPage === page.hash) return { act: "repeat" };
  if (upload.stage === "receiving") return { act: "add", to: upload.id };
  throw conflict(
    "upload_complete",
    `${named(upload)} of ${page.datasource} is complete, its last page was taken: begin a new upload with isFirstPage: true`,
  );
}

function named(upload: Upload): string {
  return `Upload ${JSON.stringify(upload.uploadId)}`;
}

function conflict(reason: string, description: string, retryAfterSeconds?: number): ApiError {
  return new ApiError("conflict", {
    reason,
    description,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
