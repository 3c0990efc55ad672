import { documentId } from "#client-api/document-answer.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { readable } from "#documents/words.ts";

/** Returns the members of a found document that every tool returns. */
export function toFound(found: FoundDocument) {
  return { id: documentId(found), title: readable(found.title), url: found.url, text: found.excerpt.text };
}
