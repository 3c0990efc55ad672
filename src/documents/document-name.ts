import { foldName } from "#protocol/folding.ts";
import type { DocumentName } from "./engine.ts";

/** Parses an id such as `datasource:id`. Datasource names contain no colon, so it ends at the first one; without one, it is empty. */
export function nameOfId(id: string): Extract<DocumentName, { readonly externalId: string }> {
  const colon = id.indexOf(":");
  return { datasource: foldName(id.slice(0, Math.max(colon, 0))), externalId: id.slice(colon + 1) };
}

/** Parses an id or a URL. */
export function parseDocumentName(text: string): DocumentName {
  return /^https?:\/\//i.test(text) ? { url: text } : nameOfId(text);
}
