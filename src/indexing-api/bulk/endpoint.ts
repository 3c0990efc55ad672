import { DOCUMENTS_BYTES_MAX, indexingCall } from "#indexing-api/indexing-call-endpoint.ts";

/** POST …/bulkindexdocuments */
export const bulkIndexDocumentsEndpoint = indexingCall(
  async ({ bulkIndexing }, { instanceId, body, requireCoverage }) => ({
    success: true,
    ...(await bulkIndexing.receive(instanceId, body, requireCoverage)),
  }),
  { bytesMax: DOCUMENTS_BYTES_MAX },
);
