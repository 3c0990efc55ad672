import { placement } from "#admin-api/placement-operations.ts";
import type { DescribedOperations } from "./described.ts";

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
  "POST /document-placement/cancel": "Cancel a move that has not switched over",
  "POST /document-placement/restore":
    "Set which engine keeps the documents, after the database was restored to an earlier time",
  "POST /document-placement/rewind":
    "Restore all documents and their permissions as they were at a time within the last 30 days",
  "DELETE /document-placement/old-documents":
    "After a move, delete the documents in the old engine now instead of after seven days",
};
