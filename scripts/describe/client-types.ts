import { createHash } from "node:crypto";

export const TYPES_FILE = "clients/typescript/schema.d.ts";

/** Returns the first line of the types, which shows whether they were made from this description. */
export function markOf(source: string): string {
  return `// Made by npm run describe of ${createHash("sha256").update(source).digest("hex")}`;
}
