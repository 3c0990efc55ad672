import type { DocumentCount } from "#custom-metadata/group-directory.ts";
import { counted } from "#pages/views/count.ts";

/** Returns a count in words: `1 document`, `100,000 documents or more`. */
export function countedDocuments({ count, isCapped }: DocumentCount): string {
  return `${counted(count, "document")}${isCapped ? " or more" : ""}`;
}
