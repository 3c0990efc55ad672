/** Documents whose rows of the index are written in one transaction: even large ones take it a second or two. */
const BATCH_DOCUMENTS = 100;

/** One run of the cron trigger does at most this many; the next goes on. */
const BATCHES_MAX = 100;

export interface StaleMetadata {
  /**
   * Brings values of up to this many documents in line with their groups' schemas of today, and forgets those of keys and groups
   * that are gone: one transaction a call.
   *
   * @returns how many documents; fewer than asked for: no more are left
   */
  settle(documentsMax: number): Promise<number>;
}

/** Brings documents after schemas: values of removed groups and keys go, a changed `skipIndexing` takes hold. Bounded. */
export class MetadataCleanUp {
  readonly #stale: StaleMetadata;

  constructor(stale: StaleMetadata) {
    this.#stale = stale;
  }

  /** @returns of how many documents */
  async run(): Promise<number> {
    let documents = 0;
    for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
      const settled = await this.#stale.settle(BATCH_DOCUMENTS);
      documents += settled;
      if (settled < BATCH_DOCUMENTS) break;
    }
    return documents;
  }
}
