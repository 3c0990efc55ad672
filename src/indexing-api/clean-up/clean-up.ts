import type { Upload } from "#indexing-api/bulk/page-order.ts";
import type { Publication } from "#indexing-api/bulk/publication.ts";
import type { Clock } from "#platform/clock.ts";

/** A pipeline that has sent no page for so long will not go on. */
const ABANDONED_SECONDS = 3 * 24 * 3600;

/** What one run does of each task, whatever has piled up: together within the queries that D1 runs for one invocation, 1,000. */
const PUBLICATION_STEPS_MAX = 60;
const STAGED_STEPS_MAX = 60;
const NAMES_STEPS_MAX = 20;

export interface CleanUpStore {
  /** The upload that is complete, not yet done, and came first; not one of these. */
  unfinished(exceptIds: readonly string[]): Promise<Upload | undefined>;
  /** Gives up uploads whose last page never came, and forgets those that are done, when nothing has moved since. */
  giveUp(unmovedSince: number): Promise<number>;
  /** Removes some of the staged documents that no upload needs any more, and uploads that have none left. @returns how many */
  removeStaged(): Promise<number>;
  /** Removes, of the next few, the principals that no document names. @returns how many, and whether it came to the end */
  removePrincipals(): Promise<{ removed: number; isAtEnd: boolean }>;
  /** The same for filter terms. */
  removeFilterTerms(): Promise<{ removed: number; isAtEnd: boolean }>;
  /** Removes deleted groups that no document and no membership names any more: the name is the directory's again. */
  removeDeletedGroups(): Promise<number>;
}

/** What the cron trigger does for the index: finishes what a request left, and removes what nothing needs. */
export class IndexCleanUp {
  readonly #store: CleanUpStore;
  readonly #publication: Publication;
  readonly #clock: Clock;

  constructor(store: CleanUpStore, publication: Publication, clock: Clock) {
    this.#store = store;
    this.#publication = publication;
    this.#clock = clock;
  }

  /** @returns how much of each was done */
  async run() {
    const uploads = await this.#finishUploads();
    const uploadsGivenUp = await this.#store.giveUp(this.#clock() - ABANDONED_SECONDS);
    let stagedDocuments = 0;
    for (let step = 0; step < STAGED_STEPS_MAX; step += 1) {
      const removed = await this.#store.removeStaged();
      if (removed === 0) break;
      stagedDocuments += removed;
    }
    return {
      ...uploads,
      uploadsGivenUp,
      stagedDocuments,
      principals: await this.#lap(() => this.#store.removePrincipals()),
      filterTerms: await this.#lap(() => this.#store.removeFilterTerms()),
      deletedGroups: await this.#store.removeDeletedGroups(),
    };
  }

  /** One upload that the database refuses must not keep the others, and the rest of the clean-up, from their turn. */
  async #finishUploads(): Promise<{ uploadsFinished: number; uploadsFailed: readonly string[] }> {
    const seen: string[] = [];
    const uploadsFailed: string[] = [];
    let stepsLeft = PUBLICATION_STEPS_MAX;
    let uploadsFinished = 0;
    while (stepsLeft > 0) {
      const next = await this.#store.unfinished(seen);
      if (!next) break;
      seen.push(next.id);
      try {
        const { upload, steps } = await this.#publication.advance(next, stepsLeft);
        stepsLeft -= Math.max(steps, 1);
        if (upload.stage === "done") uploadsFinished += 1;
      } catch {
        stepsLeft -= 1;
        uploadsFailed.push(next.id);
      }
    }
    return { uploadsFinished, uploadsFailed };
  }

  async #lap(step: () => Promise<{ removed: number; isAtEnd: boolean }>): Promise<number> {
    let total = 0;
    for (let steps = 0; steps < NAMES_STEPS_MAX; steps += 1) {
      const { removed, isAtEnd } = await step();
      total += removed;
      if (isAtEnd) break;
    }
    return total;
  }
}
