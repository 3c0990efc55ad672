import { documentId } from "#client-api/document-answer.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { readable } from "#documents/words.ts";
import * as v from "valibot";

/** What search tells of a document that it found; `id` is what fetch takes, `url` what people are shown. */
export const foundEntries = {
  id: v.pipe(v.string(), v.description("Pass it to fetch to read the document")),
  title: v.string(),
  url: v.pipe(v.string(), v.description("Where a person opens the document: cite it")),
  text: v.pipe(v.string(), v.description("The passage that matches")),
};

/** A document that a search found, as far as every tool tells of it. */
export function toFound(found: FoundDocument) {
  return { id: documentId(found), title: readable(found.title), url: found.url, text: found.excerpt.text };
}
