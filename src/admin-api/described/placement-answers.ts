import { placement } from "#admin-api/placement-operations.ts";
import { type DescribedOperations, outcome } from "./operation.ts";

/** Descriptions of operations about where an instance's documents are stored. */
export const PLACEMENT_DESCRIPTIONS: DescribedOperations = {
  "GET /document-placement": {
    summary: "Read which engine keeps the documents, and the latest move",
    answer: placement,
  },
  "POST /document-placement/move": {
    summary: "Move the documents to another engine, while the instance stays in use",
    description:
      "The move continues in the background. Repeat the call to speed it up and to see its progress. During the last seconds, writes are refused with 503.",
    answer: placement,
  },
  "POST /document-placement/cancel": { summary: "Cancel a move that has not switched over", answer: outcome },
  "POST /document-placement/restore": {
    summary: "Set which engine keeps the documents, after the database was restored to an earlier time",
    answer: outcome,
  },
  "POST /document-placement/rewind": {
    summary: "Restore all documents and their permissions as they were at a time within the last 30 days",
    answer: outcome,
  },
  "DELETE /document-placement/old-documents": {
    summary: "After a move, delete the documents in the old engine now instead of after seven days",
    answer: outcome,
  },
};
