import { type AuthorIdOf, toDocumentAnswer } from "#client-api/document-answer.ts";
import { readable } from "#documents/words.ts";
import type { NamedDocument } from "#documents/engine.ts";
import type { DocumentsPage } from "./get-documents.ts";

/** The same for whatever is not there and whatever the person may not see. */
const ABSENT = { error: "There is no such document, or you may not see it" };

/** Documents in the shape of the wire contract: what was asked for → document or error. */
export async function toDocumentsAnswer({ entries, withContent }: DocumentsPage, authorIdOf: AuthorIdOf) {
  const answers = entries.map(
    async ({ spec, document }) =>
      [spec, document ? await toAnswer(document, withContent, authorIdOf) : ABSENT] as const,
  );
  return { documents: Object.fromEntries(await Promise.all(answers)) };
}

async function toAnswer(document: NamedDocument, withContent: boolean, authorIdOf: AuthorIdOf) {
  const answer = await toDocumentAnswer(document, authorIdOf);
  return withContent ? { ...answer, content: { fullTextList: [readable(document.content ?? "")] } } : answer;
}
