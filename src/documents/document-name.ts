import { foldName } from "#protocol/folding.ts";
import type { DocumentName } from "./engine.ts";

/** The document with an id such as `datasource:id`. The first colon ends the datasource, whose name has none; ids may have more. */
export function nameOfId(id: string): Extract<DocumentName, { readonly externalId: string }> {
  const colon = Math.max(id.indexOf(":"), 0);
  return { datasource: foldName(id.slice(0, colon)), externalId: id.slice(colon + 1) };
}

/** The document with an id or a URL. */
export function parseDocumentName(text: string): DocumentName {
  return /^https?:\/\//i.test(text) ? { url: text } : nameOfId(text);
}
