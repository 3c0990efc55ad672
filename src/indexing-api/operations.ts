import type { Operation } from "#platform/api-operation.ts";
import * as v from "valibot";
import { PAGE_DOCUMENTS_MAX, pageSchema } from "./bulk/upload-page.ts";
import { documentValuesSchema } from "./custom-metadata/document-values.ts";
import { groupSchemaSchema } from "./custom-metadata/group-schema.ts";
import { documentSchema } from "./documents/document.ts";
import { datasourceOnly, deletion, DOCUMENTS_MAX } from "./documents/documents.ts";
import {
  groupDeletion,
  groupDescription,
  membershipDescription,
  userDeletion,
  userDescription,
} from "./people-and-groups/people-and-groups.ts";
import { question, update } from "./permissions/document-permissions.ts";
import { datasourceName } from "./vocabulary.ts";

/** Where the Indexing API answers. The first is the one to use; clients know both. */
export const INDEXING_BASES = ["/rest/api/index", "/api/index/v1"] as const;

const success = v.object({ success: v.literal(true) });

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const { datasource: _ofTheList, ...ownEntries } = documentSchema.entries;

/** A document of a list, for which the list may name the datasource. */
const listedDocument = v.object({ datasource: v.optional(datasourceName), ...ownEntries });

const uploadProgress = v.object({
  success: v.literal(true),
  uploadId: v.string(),
  status: v.picklist(["receiving", "storing", "removing", "done"]),
  documentsReceived: count,
  documentsStored: count,
  documentsRemoved: count,
});

const RATE = "At most 300 writes a minute to one group, in bursts; over it 429 with `Retry-After`.";

/** The calls of the Indexing API, below each of its bases, in the router's spelling of addresses. */
export const INDEXING_API_OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /indexdocument": {
    summary: "Index a document, or replace it",
    request: v.object({ document: documentSchema }),
    answer: success,
  },
  "POST /indexdocuments": {
    summary: "Index documents: all of them or none",
    request: v.object({
      datasource: v.optional(datasourceName),
      documents: v.pipe(v.array(listedDocument), v.minLength(1), v.maxLength(DOCUMENTS_MAX)),
    }),
    answer: success,
  },
  "POST /bulkindexdocuments": {
    summary: "Replace all documents of a datasource, in pages",
    description: "After the last page, documents of the datasource that were not in the upload are gone.",
    request: v.object({
      ...pageSchema.entries,
      documents: v.pipe(v.array(listedDocument), v.maxLength(PAGE_DOCUMENTS_MAX)),
    }),
    answer: uploadProgress,
    refusals: [409],
  },
  "POST /deletedocument": { summary: "Delete a document", request: deletion, answer: success },
  "POST /rotatetoken": {
    summary: "Give the token a new secret",
    description:
      "The old secret works ten minutes longer, and gives the same new one when it is asked again. The token's expiry does not move; " +
      "`rotationPeriodMinutes` is the time until it. A token rotates at most 300 times a minute.",
    answer: v.object({ rawSecret: v.string(), createdAt: count, rotationPeriodMinutes: count }),
    refusals: [429],
  },
  "POST /getdocumentcount": {
    summary: "Count the documents of a datasource",
    request: datasourceOnly,
    answer: v.object({ documentCount: count }),
  },
  "POST /updatepermissions": {
    summary: "Say anew who may see a document",
    request: update,
    answer: success,
    refusals: [404],
  },
  "POST /checkdocumentaccess": {
    summary: "Ask whether a person may see a document",
    request: question,
    answer: v.object({ hasAccess: v.boolean() }),
    refusals: [404],
  },
  "POST /indexuser": { summary: "Describe a user of a datasource", request: userDescription, answer: success },
  "POST /deleteuser": { summary: "Remove a user of a datasource", request: userDeletion, answer: success },
  "POST /indexgroup": { summary: "Describe a group of a datasource", request: groupDescription, answer: success },
  "POST /deletegroup": { summary: "Remove a group of a datasource", request: groupDeletion, answer: success },
  "POST /indexmembership": {
    summary: "Put a user or a group into a group",
    request: membershipDescription,
    answer: success,
    refusals: [404],
  },
  "POST /deletemembership": {
    summary: "Take a user or a group out of a group",
    request: membershipDescription,
    answer: success,
  },
  "PUT /custom-metadata/schema/:groupName": {
    summary: "Describe a group of metadata, or replace its keys",
    description: `The type of a key cannot change. A key that is left out goes, with its values. ${RATE}`,
    request: groupSchemaSchema,
    answer: success,
    refusals: [409, 429],
  },
  "GET /custom-metadata/schema/:groupName": {
    summary: "Read the keys of a group of metadata",
    answer: groupSchemaSchema,
    refusals: [400, 404],
  },
  "DELETE /custom-metadata/schema/:groupName": {
    summary: "Remove a group of metadata",
    description: `Its values stay on documents, unseen, until a later clean-up. ${RATE}`,
    answer: success,
    refusals: [400, 404, 429],
  },
  "PUT /document/:docId/custom-metadata/:groupName": {
    summary: "Replace all values of a group on a document",
    description: `Values of other groups stay. An empty text or list is no value. ${RATE}`,
    request: documentValuesSchema,
    answer: success,
    refusals: [404, 429],
  },
  "DELETE /document/:docId/custom-metadata/:groupName": {
    summary: "Remove all values of a group from a document",
    description: RATE,
    answer: success,
    refusals: [400, 404, 429],
  },
};
