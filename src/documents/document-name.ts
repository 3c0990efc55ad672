import { foldName } from "#protocol/folding.ts";
import type { DocumentName } from "./engine.ts";

/** Which document an id means, `datasource:id`. The first colon ends the datasource: no datasource's name has one, ids may. */
export function nameOfId(id: string): Extract<DocumentName, { readonly externalId: string }> {
  const colon = Math.max(id.indexOf(":"), 0);
  return { datasource: foldName(id.slice(0, colon)), externalId: id.slice(colon + 1) };
}

/** Which document somebody means who gives its id or its URL. */
export function parseDocumentName(text: string): DocumentName {
  return /^https?:\/\//i.test(text) ? { url: text } : nameOfId(text);
}
