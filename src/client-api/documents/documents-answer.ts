import { type AuthorIdOf, toDocumentAnswer } from "#client-api/document-answer.ts";
import type { NamedDocument } from "#documents/engine.ts";
import type { ContentPart } from "./content-part.ts";
import type { RequestedDocument } from "./get-documents.ts";

/** The same response for documents that don't exist and for those that the person may not see. */
const ABSENT = { error: "There is no such document, or you may not see it" };

/** Returns documents as in the wire contract: requested id or URL → document or error. */
export async function toDocumentsAnswer(requested: readonly RequestedDocument[], authorIdOf: AuthorIdOf) {
  const answers = requested.map(
    async ({ spec, document, part }) => [spec, document ? await toAnswer(document, part, authorIdOf) : ABSENT] as const,
  );
  return { documents: Object.fromEntries(await Promise.all(answers)) };
}

async function toAnswer(document: NamedDocument, part: ContentPart | null, authorIdOf: AuthorIdOf) {
  const answer = await toDocumentAnswer(document, authorIdOf);
  if (part === null) return answer;
  return { ...answer, content: { fullTextList: [part.text], offset: part.offset, totalLength: part.total } };
}
