import { createHash } from "node:crypto";
import { INDEXING_BASES } from "#indexing-api/bases.ts";

export const TYPES_FILE = "clients/typescript/schema.d.ts";

/** Returns the source of the client's types: each call once, under the first of its addresses. */
export function typesSource(document: { readonly paths: object }): string {
  const others = INDEXING_BASES.slice(1);
  const paths = Object.entries(document.paths).filter(([path]) => !others.some((base) => path.startsWith(base)));
  return JSON.stringify({ ...document, paths: Object.fromEntries(paths) });
}

/** Returns the first line of the types, which shows whether they were made from this description. */
export function markOf(source: string): string {
  return `// Made by npm run describe of ${createHash("sha256").update(source).digest("hex")}`;
}
