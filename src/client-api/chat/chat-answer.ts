import { type AuthorIds, toDocumentAnswer } from "#client-api/document-answer.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { readable } from "#documents/words.ts";

const NOTHING_FOUND = "I found nothing about that in the documents that you may see. Other words may find more.";

/** One answer, or one line of a streamed one, in the shape of the wire contract. */
export interface ChatAnswer {
  readonly messages: readonly {
    readonly author: "GLEAN_AI";
    readonly messageType: "CONTENT";
    readonly messageId: string;
    readonly fragments: readonly { readonly text: string }[];
    readonly citations: readonly { readonly sourceDocument: Awaited<ReturnType<typeof toDocumentAnswer>> }[];
  }[];
  readonly chatId: string;
  readonly backendTimeMillis: number;
}

export interface ChatIds {
  readonly chatId: string;
  readonly messageId: string;
}

/** The parts of an answer, each with the document that it is from. Joined they are the whole of it. */
export async function toParts(passages: readonly FoundDocument[], authorIds: AuthorIds) {
  if (passages.length === 0) return [{ text: NOTHING_FOUND, citations: [] }];
  return Promise.all(
    passages.map(async (document, index) => {
      const { text } = document.excerpt;
      const opening = index === 0 ? "This is what I found in your organisation's documents.\n\n" : "\n\n";
      return {
        text: `${opening}${readable(document.title)}: ${text.trim()}`,
        citations: [{ sourceDocument: await toDocumentAnswer(document, authorIds) }],
      };
    }),
  );
}

export function toChatAnswer(
  parts: Awaited<ReturnType<typeof toParts>>,
  { chatId, messageId }: ChatIds,
  backendTimeMillis: number,
): ChatAnswer {
  const fragments = parts.map(({ text }) => ({ text }));
  const citations = parts.flatMap((part) => part.citations);
  const message = { author: "GLEAN_AI", messageType: "CONTENT", messageId, fragments, citations } as const;
  return { messages: [message], chatId, backendTimeMillis };
}
