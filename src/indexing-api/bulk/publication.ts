import type { Upload } from "./page-order.ts";

/** What D1 does in one transaction well within its 30 seconds a query, also while it is busy with others. */
const AT_ONCE_DOCUMENTS_MAX = 2000;
const AT_ONCE_BYTES_MAX = 8_000_000;

/** How a complete upload comes in: each act is one transaction that does nothing once its stage is over. */
export interface PublicationStore {
  /** An upload's present state. */
  read(id: string): Promise<Upload | undefined>;
  /** Whether the datasource of an upload has no more documents than this, and no more text in them. */
  hasAtMost(upload: Upload, documents: number, bytes: number): Promise<boolean>;
  /** Stores and removes everything in one transaction. */
  publishAtOnce(upload: Upload): Promise<void>;
  /** Stores the next documents, or goes on to the removal. */
  storeNext(upload: Upload): Promise<void>;
  /** Removes the next documents that are not in the upload, or ends it. */
  removeNext(upload: Upload): Promise<void>;
}

/**
 * Makes a complete upload what its datasource has: in one transaction where it fits into one. A larger one is stored in steps,
 * what is new and changed first and what is gone last, so that whoever searches meanwhile misses nothing that stays. The place
 * reached is kept with each step, so whoever comes next goes on from it: the pipeline's repeated last page, or the clean-up.
 */
export class Publication {
  readonly #store: PublicationStore;

  constructor(store: PublicationStore) {
    this.#store = store;
  }

  /** Goes on with an upload, for so many steps at most. @returns how far it is now, and the steps that it took */
  async advance(upload: Upload, stepsMax: number): Promise<{ upload: Upload; steps: number }> {
    let current = upload;
    let steps = 0;
    for (; steps < stepsMax && current.stage !== "done"; steps += 1) {
      if (await this.#fitsAtOnce(current)) await this.#store.publishAtOnce(current);
      else if (current.stage === "storing") await this.#store.storeNext(current);
      else await this.#store.removeNext(current);
      current = (await this.#store.read(current.id)) ?? { ...current, stage: "done" };
    }
    return { upload: current, steps };
  }

  async #fitsAtOnce(upload: Upload): Promise<boolean> {
    if (upload.stage !== "storing" || upload.position !== "") return false;
    if (upload.documents > AT_ONCE_DOCUMENTS_MAX || upload.bytes > AT_ONCE_BYTES_MAX) return false;
    return this.#store.hasAtMost(upload, AT_ONCE_DOCUMENTS_MAX, AT_ONCE_BYTES_MAX);
  }
}
