import { placement } from "#admin-api/placement-operations.ts";
import { type DescribedOperations, outcome } from "./operation.ts";

/** Operations about where an instance's documents are. */
export const PLACEMENT_DESCRIPTIONS: DescribedOperations = {
  "GET /document-placement": {
    summary: "Read which engine keeps the documents, and the latest move",
    answer: placement,
  },
  "POST /document-placement/move": {
    summary: "Move the documents to another engine, while the instance serves",
    description:
      "The move goes on by itself. The same call again goes on with it as well, and answers how far it is. Writes are refused with 503 for the last seconds.",
    answer: placement,
  },
  "POST /document-placement/cancel": { summary: "Cancel a move that has not switched over", answer: outcome },
  "POST /document-placement/restore": {
    summary: "Set which engine keeps the documents, after the database was restored to an earlier time",
    answer: outcome,
  },
  "DELETE /document-placement/old-documents": {
    summary: "Delete what the engine that was left still has, now and not after seven days",
    answer: outcome,
  },
};
