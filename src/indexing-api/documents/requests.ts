import type { DocumentChange, IndexableDocument } from "#documents/engine.ts";
import { closed, unused, warningsOf } from "#platform/members.ts";
import type { RequestReader } from "#indexing-api/request.ts";
import { datasourceName, documentId, objectTypeName, parseRequest } from "#indexing-api/vocabulary.ts";
import * as v from "valibot";
import { parseDocuments } from "./document.ts";

export const DOCUMENTS_MAX = 100;

export const deletion = closed({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName),
  id: documentId,
  version: unused,
});

export const datasourceOnly = closed({ datasource: datasourceName });

/** The documents that `listdocuments` returns at once. */
export const LISTED_DOCUMENTS_MAX = 1000;

export const listQuestion = closed({ datasource: datasourceName, after: v.optional(documentId) });

export const statusQuestion = closed({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName),
  docId: documentId,
});

/** What surrounds documents. These are read separately, once it is certain that the token covers them all. */
export const frameOfOne = closed({ document: v.unknown(), version: unused });
export const frameOfMany = closed({
  datasource: v.optional(v.unknown()),
  documents: v.pipe(v.array(v.unknown()), v.minLength(1), v.maxLength(DOCUMENTS_MAX)),
  uploadId: unused,
});

/** Reads `indexdocument`. */
export const readDocument: RequestReader<readonly DocumentChange[]> = (body, requireCoverage) => {
  const { document } = parseRequest(frameOfOne, body);
  const parsed = parseDocuments({ entries: [document], at: () => "document" }, requireCoverage);
  const { documents, groups, warnings } = parsed;
  return { request: documents.map(toPut), groups, warnings: [...warningsOf(frameOfOne, body), ...warnings] };
};

/** Reads `indexdocuments`. */
export const readDocuments: RequestReader<readonly DocumentChange[]> = (body, requireCoverage) => {
  const { documents: entries, datasource } = parseRequest(frameOfMany, body);
  const list = { entries, datasource, at: (index: number) => `documents[${index}]` };
  const { documents, groups, warnings } = parseDocuments(list, requireCoverage);
  return { request: documents.map(toPut), groups, warnings: [...warningsOf(frameOfMany, body), ...warnings] };
};

function toPut(document: IndexableDocument): DocumentChange {
  return { act: "put", document };
}
