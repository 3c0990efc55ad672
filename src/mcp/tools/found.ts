import { documentId } from "#client-api/document-answer.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { readable } from "#documents/words.ts";

/** A document that a search found, as far as every tool tells of it. */
export function toFound(found: FoundDocument) {
  return { id: documentId(found), title: readable(found.title), url: found.url, text: found.excerpt.text };
}
