import { sha256 } from "#crypto/hash.ts";
import { type IndexableDocument, parseDocuments } from "#indexing-api/documents/document.ts";
import {
  type DatasourceCoverage,
  datasourceName,
  malformed,
  parseCovered,
  type RequestBody,
  uploadName,
} from "#indexing-api/vocabulary.ts";
import * as v from "valibot";

/** One statement stages a document, and D1 runs at most 1,000 for a request. */
export const PAGE_DOCUMENTS_MAX = 500;

export const pageSchema = v.object({
  uploadId: uploadName,
  datasource: datasourceName,
  isFirstPage: v.optional(v.boolean(), false),
  isLastPage: v.optional(v.boolean(), false),
  forceRestartUpload: v.optional(v.boolean(), false),
  documents: v.array(v.unknown()),
});

/** A page of `bulkindexdocuments`, checked. */
export interface UploadPage {
  readonly uploadId: string;
  readonly datasource: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly forceRestart: boolean;
  /** Each once; of two with one id, the last. */
  readonly documents: readonly IndexableDocument[];
  /** By which a page is known when it comes again. */
  readonly hash: string;
}

/** Reads a page. Throws as {@link parseDocuments}. */
export async function parsePage(body: RequestBody, requireCoverage: DatasourceCoverage): Promise<UploadPage> {
  const page = parseCovered(pageSchema, body, requireCoverage);
  const { datasource, isFirstPage: isFirst, isLastPage: isLast, forceRestartUpload: forceRestart } = page;
  if (forceRestart && !isFirst) {
    throw malformed("forceRestartUpload goes with isFirstPage: true: start again with the first page");
  }
  if (page.documents.length > PAGE_DOCUMENTS_MAX) {
    throw malformed(`documents is not acceptable: at most ${PAGE_DOCUMENTS_MAX} a page`);
  }
  const at = (index: number) => `documents[${index}]`;
  const parsed = parseDocuments({ entries: page.documents, datasource, at }, requireCoverage);
  const documents = [...new Map(parsed.map((document) => [document.externalId, document])).values()];
  const hash = await sha256(JSON.stringify([isFirst, isLast, documents]));
  return { uploadId: page.uploadId, datasource, isFirst, isLast, forceRestart, documents, hash };
}
