import { type AuthorIdOf, toDocumentAnswer } from "#client-api/document-answer.ts";
import { sectionOf, urlOfSection } from "#documents/anchors.ts";
import type { AnswerPart } from "./chat.ts";

/**
 * Returns the documents that parts of an answer are taken from, one for each passage, in the order of their numbers in the text.
 */
export function toCitations(parts: readonly AnswerPart[], authorIdOf: AuthorIdOf) {
  const passages = parts.flatMap((part) => part.passages);
  return Promise.all(
    passages.map(async ({ text, document }) => {
      const section = sectionOf(document.text ?? "", document.anchors ?? [], text);
      const sourceDocument = await toDocumentAnswer(document, authorIdOf);
      return { sourceDocument: { ...sourceDocument, url: urlOfSection(sourceDocument.url, section) } };
    }),
  );
}

/**
 * Returns a response, or one line of a streamed one, as in the wire contract.
 *
 * @param author the service, by its name: `ACME_SEARCH_AI`
 */
export async function toChatAnswer(
  author: string,
  parts: readonly AnswerPart[],
  authorIdOf: AuthorIdOf,
  { chatId, messageId }: { readonly chatId: string; readonly messageId: string },
  backendTimeMillis: number,
) {
  const fragments = parts.map(({ text }) => ({ text }));
  const citations = await toCitations(parts, authorIdOf);
  const message = { author, messageType: "CONTENT", messageId, fragments, citations };
  return { messages: [message], chatId, backendTimeMillis };
}
