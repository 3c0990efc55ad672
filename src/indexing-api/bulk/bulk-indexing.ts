import type { DatasourceCoverage, RequestBody } from "#indexing-api/vocabulary.ts";
import type { Clock } from "#platform/clock.ts";
import { ApiError } from "#protocol/errors.ts";
import { nextStep, type Upload } from "./page-order.ts";
import type { Publication } from "./publication.ts";
import { parsePage, type UploadPage } from "./upload-page.ts";

/** A page meets another one of the same upload at most so often before its pipeline is asked to wait. */
const ATTEMPTS_MAX = 3;

/** What one request stores of a large upload before it answers; the clean-up and repetitions of the last page go on. */
const STEPS_A_REQUEST = 10;

export interface UploadStore {
  /** A datasource's latest upload, under way or done. */
  find(instanceId: number, datasource: string): Promise<Upload | undefined>;
  /** Starts an upload with its first page. @returns false when another page was faster; then nothing changed */
  start(instanceId: number, id: string, page: UploadPage, inPlaceOf: string | undefined, now: number): Promise<boolean>;
  /** Adds a page. @returns false when the upload takes no more pages; then nothing changed */
  add(id: string, page: UploadPage, now: number): Promise<boolean>;
}

/** How far an upload is, for its pipeline. */
export interface UploadProgress {
  readonly uploadId: string;
  readonly status: "receiving" | "storing" | "removing" | "done";
  readonly documentsReceived: number;
  readonly documentsStored: number;
  readonly documentsRemoved: number;
}

/** Takes all documents of a datasource, in pages, in the place of those that it had. */
export class BulkIndexing {
  readonly #store: UploadStore;
  readonly #publication: Publication;
  readonly #newId: () => string;
  readonly #clock: Clock;

  constructor(store: UploadStore, publication: Publication, newId: () => string, clock: Clock) {
    this.#store = store;
    this.#publication = publication;
    this.#newId = newId;
    this.#clock = clock;
  }

  /**
   * `bulkindexdocuments`: takes a page; with the last one the upload becomes what the datasource has.
   *
   * @throws {ApiError} `bad_request`, `conflict` for a page out of order; what `requireCoverage` throws, before anything else
   */
  async receive(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<UploadProgress> {
    const page = await parsePage(body, requireCoverage);
    await this.#take(instanceId, page);
    const upload = await this.#store.find(instanceId, page.datasource);
    // A new upload is already under way, so this one is what the datasource had in between.
    if (!upload || upload.uploadId !== page.uploadId) throw restarted(page);
    const isComplete = upload.stage === "storing" || upload.stage === "removing";
    return progressOf(isComplete ? (await this.#publication.advance(upload, STEPS_A_REQUEST)).upload : upload);
  }

  async #take(instanceId: number, page: UploadPage): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const step = nextStep(await this.#store.find(instanceId, page.datasource), page);
      if (step.act === "repeat") return;
      const now = this.#clock();
      const isTaken =
        step.act === "start"
          ? await this.#store.start(instanceId, this.#newId(), page, step.inPlaceOf, now)
          : await this.#store.add(step.to, page, now);
      if (isTaken) return;
    }
    throw new ApiError("conflict", {
      reason: "pages_race",
      description: `Other pages of ${page.datasource} keep arriving at the same time: send this page again`,
      retryAfterSeconds: 1,
    });
  }
}

function progressOf(upload: Upload): UploadProgress {
  return {
    uploadId: upload.uploadId,
    status: upload.stage,
    documentsReceived: upload.documents,
    documentsStored: upload.stored,
    documentsRemoved: upload.removed,
  };
}

function restarted(page: UploadPage): ApiError {
  return new ApiError("conflict", {
    reason: "upload_replaced",
    description: `Another upload of ${page.datasource} has begun while this page was taken: only that one counts`,
  });
}
