import { type AuthorIdOf, toDocumentAnswer } from "#client-api/document-answer.ts";
import { sectionOf, urlOfSection } from "#documents/anchors.ts";
import type { AnswerPart } from "./chat.ts";

/** A response, or one line of a streamed one, as in the wire contract. */
export interface ChatAnswer {
  readonly messages: readonly {
    /** The service, by its name: `ACME_SEARCH_AI`. */
    readonly author: string;
    readonly messageType: "CONTENT";
    readonly messageId: string;
    readonly fragments: readonly { readonly text: string }[];
    readonly citations: readonly Citation[];
  }[];
  readonly chatId: string;
  readonly backendTimeMillis: number;
}

interface Citation {
  readonly sourceDocument: Awaited<ReturnType<typeof toDocumentAnswer>>;
}

/**
 * Returns the documents that parts of an answer are taken from, one for each passage, in the order of their numbers in the text.
 */
export async function toCitations(parts: readonly AnswerPart[], authorIdOf: AuthorIdOf): Promise<Citation[]> {
  const passages = parts.flatMap((part) => part.passages);
  return Promise.all(
    passages.map(async ({ text, document }) => {
      const section = sectionOf(document.text ?? "", document.anchors ?? [], text);
      const sourceDocument = await toDocumentAnswer(document, authorIdOf);
      return { sourceDocument: { ...sourceDocument, url: urlOfSection(sourceDocument.url, section) } };
    }),
  );
}

export async function toChatAnswer(
  author: string,
  parts: readonly AnswerPart[],
  authorIdOf: AuthorIdOf,
  { chatId, messageId }: { readonly chatId: string; readonly messageId: string },
  backendTimeMillis: number,
): Promise<ChatAnswer> {
  const fragments = parts.map(({ text }) => ({ text }));
  const citations = await toCitations(parts, authorIdOf);
  const message = { author, messageType: "CONTENT", messageId, fragments, citations } as const;
  return { messages: [message], chatId, backendTimeMillis };
}
