import { STEPS } from "#connection-attempts/connection-step.ts";
import { groupSchemaSchema } from "#custom-metadata/schema-request.ts";
import { GLOSSARY_MEMBERS } from "#glossary/glossary-members.ts";
import { schemasOf } from "#platform/described-members.ts";
import * as v from "valibot";
import { flag, integer, seconds, text } from "#admin-api/members.ts";
import { type DescribedOperations, listed } from "./described.ts";

const documents = v.object({ count: integer, isCapped: flag });

const group = v.object({ ...groupSchemaSchema.entries, name: text, documents, createdAt: seconds });

const listedGroup = v.object({ name: text, keys: v.number(), documents, createdAt: seconds });

const entry = v.object({
  sequence: integer,
  at: seconds,
  actor: text,
  actorKind: v.nullable(v.picklist(["person", "token"])),
  actorName: v.nullable(text),
  event: text,
  detail: v.record(text, v.unknown()),
  hash: v.nullable(text),
});

const glossary = v.object({ entries: v.array(v.object(schemasOf(GLOSSARY_MEMBERS))), changedAt: v.nullable(seconds) });

const heldRemoval = v.object({
  datasource: text,
  kind: v.picklist(["documents", "users", "groups", "memberships"]),
  groupName: text,
  uploadId: text,
  stale: integer,
  total: integer,
  heldUntil: v.nullable(seconds),
  examples: v.array(text),
});

const removedDocuments = v.object({
  datasource: text,
  documents: integer,
  firstRemovedAt: seconds,
  lastRemovedAt: seconds,
  fate: v.nullable(v.picklist(["bring back", "erase"])),
});

const attempt = v.object({
  id: text,
  at: seconds,
  clientId: v.nullable(text),
  grantId: v.nullable(text),
  network: v.nullable(text),
  steps: v.array(
    v.object({
      at: seconds,
      requestId: text,
      step: v.picklist(STEPS),
      reason: v.nullable(text),
      message: v.nullable(text),
    }),
  ),
});

/** Descriptions of operations about what uploads remove, groups of custom metadata, the audit, and recent connection attempts of apps. */
export const CONTENT_DESCRIPTIONS: DescribedOperations = {
  "GET /glossary": { summary: "Read what words are also called in search", answer: glossary },
  "PUT /glossary": {
    summary: "Replace what words are also called in search",
    description:
      "The next search uses it. A search also knows abbreviations that everybody uses (setting `searchUsesCommonTerms`).",
    answer: glossary,
  },
  "GET /held-removals": listed(heldRemoval, "List bulk uploads whose removal waits for a decision"),
  "POST /held-removals/remove": "Remove what a held upload didn't contain",
  "POST /held-removals/discard": {
    summary: "Keep what a held upload didn't contain",
    description: "The datasource's next upload is checked again.",
  },
  "GET /removed-documents": listed(
    removedDocuments,
    "List how many documents that uploads removed can be brought back",
  ),
  "POST /removed-documents/bring-back": {
    summary: "Bring back the documents that uploads removed from a datasource",
    description: "This goes on in the background. Documents that were indexed again since stay as they are.",
  },
  "POST /removed-documents/erase": "Erase the documents that uploads removed from a datasource permanently",
  "GET /metadata-groups": listed(listedGroup, "List groups of custom metadata"),
  "GET /metadata-groups/:groupName": { summary: "Read a group of custom metadata", answer: group },
  "POST /metadata-groups/:groupName": {
    summary: "Create a group of custom metadata; if it exists, the response is 409",
    answer: group,
  },
  "PUT /metadata-groups/:groupName": {
    summary: "Create a group of custom metadata, or replace its keys",
    description: "You can't change the type of a key. Keys that you leave out are removed with their values.",
    answer: group,
  },
  "DELETE /metadata-groups/:groupName": "Delete a group of custom metadata, with its values",
  "GET /audit": listed(entry, "List audit entries"),
  "GET /audit/verification": {
    summary: "Verify the chain of the audit, part by part",
    description: "Call it with `after` until `next` is null. `message` says where the first broken link is.",
    answer: v.object({ isWhole: flag, message: text, entries: integer, next: v.nullable(integer) }),
  },
  "GET /audit/delivery": {
    summary: "Read the state of the delivery of audit entries",
    description: "The receiver is the setting `auditReceiver`. The answer is 404 if there is none.",
    answer: v.object({
      receiver: text,
      hasAuthorization: flag,
      deliveredThrough: integer,
      deliveredAt: v.nullable(seconds),
      failures: integer,
      lastError: v.nullable(text),
      nextAt: seconds,
      waiting: integer,
      lagSeconds: integer,
    }),
  },
  "PUT /audit/delivery/authorization": {
    summary: "Set the Authorization header of deliveries, or remove it with null",
    description: "It is sent only to the current receiver, and never shown again.",
  },
  "GET /connection-attempts": listed(attempt, "List recent connection attempts of apps, step by step"),
};
