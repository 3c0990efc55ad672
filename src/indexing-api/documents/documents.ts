import type { Clock } from "#platform/clock.ts";
import { type IndexableDocument, parseDocuments } from "./document.ts";

export interface DocumentStore {
  /** Stores all documents, new or again, or none of them. */
  upsert(instanceId: number, documents: readonly IndexableDocument[], now: number): Promise<void>;
}

/** Asks whether the caller's token covers a datasource. @throws when it does not */
export type DatasourceCoverage = (datasource: string) => void;

/** Takes documents from pipelines. */
export class DocumentIndexing {
  readonly #store: DocumentStore;
  readonly #clock: Clock;

  constructor(store: DocumentStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Indexes what `indexdocument` (single) or `indexdocuments` sent: all of it or nothing.
   *
   * @throws {ApiError} `bad_request`; what `requireCoverage` throws, before anything is stored
   */
  async index(
    instanceId: number,
    body: Readonly<Record<string, unknown>>,
    single: boolean,
    requireCoverage: DatasourceCoverage,
  ): Promise<void> {
    const documents = parseDocuments(body, single);
    for (const datasource of new Set(documents.map((document) => document.datasource))) requireCoverage(datasource);
    await this.#store.upsert(instanceId, documents, this.#clock());
  }
}
