import {
  documentId,
  type DatasourceCoverage,
  malformed,
  parseCovered,
  type RequestBody,
} from "#indexing-api/vocabulary.ts";
import { datasourceName, objectTypeName } from "#indexing-api/vocabulary.ts";
import type { Clock } from "#platform/clock.ts";
import * as v from "valibot";
import { type IndexableDocument, parseDocuments } from "./document.ts";

export const DOCUMENTS_MAX = 100;

export const deletion = v.object({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName),
  id: documentId,
});

export const datasourceOnly = v.object({ datasource: datasourceName });

export interface DocumentStore {
  /** Stores all documents, new or again, or none of them. */
  upsert(instanceId: number, documents: readonly IndexableDocument[], now: number): Promise<void>;
  /** Removes a document and its metadata, also from an upload that is about to store it. */
  remove(instanceId: number, datasource: string, externalId: string): Promise<void>;
  count(instanceId: number, datasource: string): Promise<number>;
}

/** Takes single documents from pipelines. */
export class DocumentIndexing {
  readonly #store: DocumentStore;
  readonly #clock: Clock;

  constructor(store: DocumentStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Indexes what `indexdocument` sent.
   *
   * @throws {ApiError} `bad_request`; what `requireCoverage` throws, before anything is stored
   */
  async indexOne(instanceId: number, { document }: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    if (document === undefined) throw malformed("document is missing");
    const documents = parseDocuments({ entries: [document], at: () => "document" }, requireCoverage);
    await this.#store.upsert(instanceId, documents, this.#clock());
  }

  /** Indexes what `indexdocuments` sent: all of it or nothing. Throws as {@link indexOne}. */
  async indexMany(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    const { documents: entries, datasource } = body;
    if (!Array.isArray(entries) || entries.length === 0 || entries.length > DOCUMENTS_MAX) {
      throw malformed(`documents is not acceptable: an array of 1 to ${DOCUMENTS_MAX}`);
    }
    const documents = parseDocuments({ entries, datasource, at: (index) => `documents[${index}]` }, requireCoverage);
    await this.#store.upsert(instanceId, documents, this.#clock());
  }

  /**
   * `deletedocument`. A document that is not there is as good as deleted. Its datasource and id are what it is; an object type
   * that differs from the stored one must not leave visible what the pipeline believes gone.
   */
  async delete(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    const { datasource, id } = parseCovered(deletion, body, requireCoverage);
    await this.#store.remove(instanceId, datasource, id);
  }

  /** `getdocumentcount`: how many documents a datasource has. */
  async count(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<number> {
    return this.#store.count(instanceId, parseCovered(datasourceOnly, body, requireCoverage).datasource);
  }
}
