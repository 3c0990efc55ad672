import type { Kind } from "#documents/generations.ts";
import { DOCUMENTS_BYTES_MAX, indexingCall } from "#indexing-api/indexing-call-endpoint.ts";
import { refusedBy } from "#indexing-api/refusals.ts";
import { covered, type RequestReader } from "#indexing-api/request.ts";
import {
  headOf,
  readDocumentsPage,
  readGroupsPage,
  readMembershipsPage,
  readUsersPage,
  type ReadPage,
  uploadQuestion,
  withHash,
} from "./page.ts";

/** The calls of uploads, by the last part of their path. */
export const uploadCalls = {
  bulkindexdocuments: taking("documents", readDocumentsPage),
  bulkindexusers: taking("users", readUsersPage),
  bulkindexgroups: taking("groups", readGroupsPage),
  bulkindexmemberships: taking("memberships", readMembershipsPage),
  /** Tells how the latest uploads of a datasource went. */
  uploadstatus: indexingCall(covered(uploadQuestion), async ({ documents }, instanceId, { datasource, uploadId }) => ({
    uploads: await documents.uploads(instanceId, datasource, uploadId === undefined ? {} : { uploadId }),
  })),
};

/**
 * Returns the handlers of a call that takes pages. A page that can't be read is recorded with its upload, so that the upload's
 * status shows why pages are missing.
 */
function taking(kind: Kind, read: RequestReader<ReadPage>) {
  return indexingCall(
    read,
    async ({ documents, removalNotes }, instanceId, page, tokenId) => {
      const taken = await documents.takePage(instanceId, await withHash(page));
      if ("refused" in taken) throw refusedBy(taken);
      const { uploadId, status, received, removed, stale, total, heldUntil } = taken;
      if (page.isLast) await removalNotes.note(instanceId, page, taken, tokenId);
      const progress = { success: true, uploadId, status };
      return {
        ...progress,
        ...(kind === "documents"
          ? { documentsReceived: received, documentsStored: received, documentsRemoved: removed }
          : { received, removed }),
        ...(status === "held" && { stale, total, heldUntil }),
      };
    },
    {
      bytesMax: DOCUMENTS_BYTES_MAX,
      noteRefused: async ({ documents }, instanceId, body, { description }) => {
        const target = headOf(kind, body);
        if (target) await documents.noteUploadError(instanceId, target, description);
      },
    },
  );
}
