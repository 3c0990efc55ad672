import type { DocumentChange, DocumentEngine } from "#documents/engine.ts";
import { DOCUMENTS_BYTES_MAX, indexingCall } from "#indexing-api/indexing-call-endpoint.ts";
import { datasourceFull } from "#documents/refused.ts";
import { refusedBy } from "#indexing-api/refusals.ts";
import { covered } from "#indexing-api/request.ts";
import {
  datasourceOnly,
  deletion,
  LISTED_DOCUMENTS_MAX,
  listQuestion,
  readDocument,
  readDocuments,
  statusQuestion,
} from "./requests.ts";

/** The calls about documents, by the last part of their path. */
export const documentCalls = {
  indexdocument: indexingCall(readDocument, put, { bytesMax: DOCUMENTS_BYTES_MAX }),
  indexdocuments: indexingCall(readDocuments, put, { bytesMax: DOCUMENTS_BYTES_MAX }),
  /**
   * Succeeds if there is no such document. Datasource and id alone identify it: if the object type differs from the stored one, a
   * document that the pipeline believes deleted must not stay visible.
   */
  deletedocument: indexingCall(covered(deletion), async ({ documents }, instanceId, { datasource, id: externalId }) => {
    await documents.apply(instanceId, [{ act: "remove", datasource, externalId }]);
  }),
  getdocumentcount: indexingCall(covered(datasourceOnly), async ({ documents }, instanceId, { datasource }) => ({
    documentCount: await documents.count(instanceId, datasource),
  })),
  /** Tells a pipeline what it sent before, so that it sends only what changed and removes what is gone. */
  listdocuments: indexingCall(covered(listQuestion), async ({ documents }, instanceId, { datasource, after = "" }) => {
    const page = await documents.listDocuments(instanceId, datasource, { after, most: LISTED_DOCUMENTS_MAX });
    const listed = page.documents.map(({ externalId: id, contentHash }) => {
      return contentHash === null ? { id } : { id, contentHash };
    });
    return { documents: listed, hasMore: page.hasLater };
  }),
  /** A document is indexed when it is accepted, so both times are the same. */
  getdocumentstatus: indexingCall(covered(statusQuestion), async ({ documents }, instanceId, { datasource, docId }) => {
    const at = await documents.indexedAt(instanceId, datasource, docId);
    return at === null
      ? { uploadStatus: "NOT_UPLOADED", indexingStatus: "NOT_INDEXED" }
      : { uploadStatus: "UPLOADED", lastUploadedAt: at, indexingStatus: "INDEXED", lastIndexedAt: at };
  }),
  /** A datasource needs no registration, so every name has the same few settings. */
  getdatasourceconfig: indexingCall(covered(datasourceOnly), async (_services, _instanceId, { datasource }) => ({
    name: datasource,
    displayName: datasource,
    datasourceCategory: "UNCATEGORIZED",
    isUserReferencedByEmail: true,
  })),
};

async function put(
  { documents }: { readonly documents: DocumentEngine },
  instanceId: number,
  changes: readonly DocumentChange[],
): Promise<void> {
  const outcomes = await documents.apply(instanceId, changes);
  if (outcomes.includes("full")) throw refusedBy(datasourceFull("documents"));
}
