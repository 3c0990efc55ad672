import type { Operation } from "./operation.ts";
import * as v from "valibot";
import {
  documentsPage,
  groupsPage,
  membershipsPage,
  PAGE_DOCUMENTS_MAX,
  uploadQuestion,
  usersPage,
} from "#indexing-api/bulk/page.ts";
import { bulkValuesSchema, documentValuesSchema } from "#indexing-api/custom-metadata/document-values.ts";
import { groupSchemaSchema } from "#custom-metadata/schema-request.ts";
import { documentSchema } from "#indexing-api/documents/document.ts";
import {
  datasourceOnly,
  deletion,
  DOCUMENTS_MAX,
  frameOfMany,
  frameOfOne,
  listQuestion,
  statusQuestion,
} from "#indexing-api/documents/requests.ts";
import { question, update } from "#indexing-api/permissions/permissions.ts";
import {
  groupDeletion,
  groupDescription,
  membershipDescription,
  processing,
  userDeletion,
  userDescription,
} from "#indexing-api/users-and-groups/requests.ts";
import { datasourceName } from "#indexing-api/vocabulary.ts";

const { datasource: _ofTheList, ...ownEntries } = documentSchema.entries;

/** A document in a list, which may name the datasource for all of its documents. */
const listedDocument = v.object({ datasource: v.optional(datasourceName), ...ownEntries });

const warnings = v.optional(v.array(v.object({ path: v.string(), message: v.string() })));

const done = { success: v.literal(true) };

/** The response of calls whose requests may contain unused members. */
const success = v.object({ ...done, warnings });

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const seconds = count;

const status = v.picklist(["receiving", "held", "removing", "done"]);

/** What a complete upload would remove, if that is held. */
const held = { stale: v.optional(count), total: v.optional(count), heldUntil: v.optional(seconds) };

const progress = { ...success.entries, uploadId: v.string(), status };

const uploadProgress = v.object({
  ...progress,
  documentsReceived: count,
  documentsStored: count,
  documentsRemoved: count,
  ...held,
});

const namesProgress = v.object({ ...progress, received: count, removed: count, ...held });

const uploads = v.object({
  uploads: v.array(
    v.object({
      kind: v.picklist(["documents", "users", "groups", "memberships"]),
      groupName: v.string(),
      uploadId: v.string(),
      status: v.picklist(["receiving", "held", "removing", "done", "given up"]),
      received: count,
      removed: count,
      pages: count,
      startedAt: seconds,
      changedAt: seconds,
      completedAt: v.nullable(seconds),
      stale: count,
      total: count,
      heldUntil: v.nullable(seconds),
      examples: v.array(v.string()),
      errors: v.array(v.object({ at: seconds, message: v.string() })),
    }),
  ),
});

const documentStatus = v.object({
  uploadStatus: v.picklist(["UPLOADED", "NOT_UPLOADED"]),
  lastUploadedAt: v.optional(seconds),
  indexingStatus: v.picklist(["INDEXED", "NOT_INDEXED"]),
  lastIndexedAt: v.optional(seconds),
});

const UPLOAD =
  "Each page takes effect at once. After the last page, everything that was not in the upload is removed; if that is more than 20 and more than " +
  "20 % of what there is, it is held for seven days (`status: held`), unless the last page asks for no check. Repeating a page changes nothing.";

const RATE = "At most 300 writes a minute to one group, in bursts; over it 429 with `Retry-After`.";

/** The calls of the Indexing API below each of its base paths, in the router's path syntax. */
export const INDEXING_API_OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /indexdocument": {
    summary: "Index a document, or replace it",
    request: v.strictObject({ ...frameOfOne.entries, document: documentSchema }),
    answer: success,
    refusals: [409],
  },
  "POST /indexdocuments": {
    summary: "Index several documents, all or none",
    request: v.strictObject({
      ...frameOfMany.entries,
      datasource: v.optional(datasourceName),
      documents: v.pipe(v.array(listedDocument), v.minLength(1), v.maxLength(DOCUMENTS_MAX)),
    }),
    answer: success,
    refusals: [409],
  },
  "POST /bulkindexdocuments": {
    summary: "Replace all documents of a datasource, in pages",
    description: UPLOAD,
    request: v.strictObject({
      ...documentsPage.entries,
      documents: v.pipe(v.array(listedDocument), v.maxLength(PAGE_DOCUMENTS_MAX)),
    }),
    answer: uploadProgress,
    refusals: [409],
  },
  "POST /bulkindexusers": {
    summary: "Replace all users of a datasource, in pages",
    description: UPLOAD,
    request: usersPage,
    answer: namesProgress,
    refusals: [409],
  },
  "POST /bulkindexgroups": {
    summary: "Replace all groups of a datasource, in pages",
    description: UPLOAD,
    request: groupsPage,
    answer: namesProgress,
    refusals: [409],
  },
  "POST /bulkindexmemberships": {
    summary: "Replace all members of a group, in pages",
    description: UPLOAD,
    request: membershipsPage,
    answer: namesProgress,
    refusals: [404, 409],
  },
  "POST /processallmemberships": {
    summary: "Process all memberships (not needed: they apply at once)",
    request: processing,
    answer: success,
  },
  "POST /uploadstatus": {
    summary: "Get the status of a datasource's latest uploads",
    description: "Progress, counts, and the latest pages that were refused. Uploads are kept for 30 days.",
    request: uploadQuestion,
    answer: uploads,
  },
  "POST /getdatasourceconfig": {
    summary: "Get the settings of a datasource (it needs none)",
    request: datasourceOnly,
    answer: v.object({
      name: v.string(),
      displayName: v.string(),
      datasourceCategory: v.string(),
      isUserReferencedByEmail: v.boolean(),
    }),
  },
  "POST /getdocumentstatus": {
    summary: "Get when a document was last indexed",
    request: statusQuestion,
    answer: documentStatus,
  },
  "POST /deletedocument": { summary: "Delete a document", request: deletion, answer: success, refusals: [409] },
  "POST /rotatetoken": {
    summary: "Replace the secret of the calling token",
    description:
      "The old secret works for ten more minutes, and repeating the call with it returns the same new secret. The token's expiry doesn't change; " +
      "`rotationPeriodMinutes` is the time until then. A token can be rotated at most 300 times a minute.",
    answer: v.object({ rawSecret: v.string(), createdAt: count, rotationPeriodMinutes: count }),
    refusals: [429],
  },
  "POST /getdocumentcount": {
    summary: "Count the documents of a datasource",
    request: datasourceOnly,
    answer: v.object({ documentCount: count }),
  },
  "POST /listdocuments": {
    summary: "List the documents of a datasource",
    description:
      "Returns up to 1,000 documents by id, each with the `contentHash` that it was sent with. Continue with `after`, the last id. " +
      "A document whose permissions were changed by `updatepermissions` has no hash any more.",
    request: listQuestion,
    answer: v.object({
      documents: v.array(v.object({ id: v.string(), contentHash: v.optional(v.string()) })),
      hasMore: v.boolean(),
    }),
  },
  "POST /updatepermissions": {
    summary: "Change who may see a document",
    request: update,
    answer: success,
    refusals: [404, 409],
  },
  "POST /checkdocumentaccess": {
    summary: "Check whether a person may see a document",
    request: question,
    answer: v.object({ hasAccess: v.boolean() }),
    refusals: [404],
  },
  "POST /indexuser": {
    summary: "Create or update a user of a datasource",
    request: userDescription,
    answer: success,
    refusals: [409],
  },
  "POST /deleteuser": {
    summary: "Remove a user of a datasource",
    request: userDeletion,
    answer: success,
    refusals: [409],
  },
  "POST /indexgroup": {
    summary: "Create or update a group of a datasource",
    request: groupDescription,
    answer: success,
    refusals: [409],
  },
  "POST /deletegroup": {
    summary: "Remove a group of a datasource",
    request: groupDeletion,
    answer: success,
    refusals: [409],
  },
  "POST /indexmembership": {
    summary: "Add a user or a group to a group",
    request: membershipDescription,
    answer: success,
    refusals: [404, 409],
  },
  "POST /deletemembership": {
    summary: "Remove a user or a group from a group",
    request: membershipDescription,
    answer: success,
    refusals: [409],
  },
  "PUT /custom-metadata/schema/:groupName": {
    summary: "Create a metadata group, or replace its keys",
    description: `You can't change the type of a key. Keys that you leave out are removed with their values. ${RATE}`,
    request: groupSchemaSchema,
    answer: success,
    refusals: [409, 429],
  },
  "GET /custom-metadata/schema/:groupName": {
    summary: "Get the keys of a metadata group",
    answer: groupSchemaSchema,
    refusals: [400, 404],
  },
  "DELETE /custom-metadata/schema/:groupName": {
    summary: "Delete a metadata group",
    description: `Its values are no longer shown, and a later clean-up removes them. ${RATE}`,
    answer: success,
    refusals: [400, 404, 409, 429],
  },
  "PUT /document/:docId/custom-metadata/:groupName": {
    summary: "Replace a document's values of a metadata group",
    description: `Values of other groups don't change. Empty text and empty lists count as no value. ${RATE}`,
    request: documentValuesSchema,
    answer: success,
    refusals: [404, 409, 429],
  },
  "PUT /custom-metadata/values/:groupName": {
    summary: "Replace the values of a metadata group on many documents",
    description:
      "Up to 500 documents of any datasources. A malformed request changes nothing; otherwise, documents that can't have their values don't stop the " +
      `others, and each result says what became of its document. An empty list removes the document's values. Counts as one write. ${RATE}`,
    request: bulkValuesSchema,
    answer: v.object({
      results: v.array(
        v.object({
          id: v.string(),
          success: v.boolean(),
          error: v.optional(v.string()),
          message: v.optional(v.string()),
        }),
      ),
    }),
    refusals: [404, 409, 429],
  },
  "DELETE /document/:docId/custom-metadata/:groupName": {
    summary: "Delete a document's values of a metadata group",
    description: RATE,
    answer: success,
    refusals: [400, 404, 409, 429],
  },
};
