import { DOCUMENTS_BYTES_MAX, indexingCall } from "#indexing-api/indexing-call-endpoint.ts";

/** POST …/indexdocument */
export const indexDocumentEndpoint = indexingCall(
  async ({ documentIndexing }, { instanceId, body, requireCoverage }) => {
    await documentIndexing.indexOne(instanceId, body, requireCoverage);
    return { success: true };
  },
  { bytesMax: DOCUMENTS_BYTES_MAX },
);

/** POST …/indexdocuments */
export const indexDocumentsEndpoint = indexingCall(
  async ({ documentIndexing }, { instanceId, body, requireCoverage }) => {
    await documentIndexing.indexMany(instanceId, body, requireCoverage);
    return { success: true };
  },
  { bytesMax: DOCUMENTS_BYTES_MAX },
);

/** POST …/deletedocument */
export const deleteDocumentEndpoint = indexingCall(
  async ({ documentIndexing }, { instanceId, body, requireCoverage }) => {
    await documentIndexing.delete(instanceId, body, requireCoverage);
    return { success: true };
  },
);

/** POST …/getdocumentcount */
export const getDocumentCountEndpoint = indexingCall(
  async ({ documentIndexing }, { instanceId, body, requireCoverage }) => ({
    documentCount: await documentIndexing.count(instanceId, body, requireCoverage),
  }),
);
