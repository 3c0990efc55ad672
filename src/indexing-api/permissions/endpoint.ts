import { DOCUMENTS_BYTES_MAX, indexingCall } from "#indexing-api/indexing-call-endpoint.ts";

/** POST …/updatepermissions */
export const updatePermissionsEndpoint = indexingCall(
  async ({ documentPermissions }, { instanceId, body, requireCoverage }) => {
    await documentPermissions.update(instanceId, body, requireCoverage);
    return { success: true };
  },
  { bytesMax: DOCUMENTS_BYTES_MAX },
);

/** POST …/checkdocumentaccess */
export const checkDocumentAccessEndpoint = indexingCall(
  async ({ documentPermissions }, { instanceId, body, requireCoverage }) =>
    documentPermissions.check(instanceId, body, requireCoverage),
);
