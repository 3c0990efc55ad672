import type { AnswerPart } from "#client-api/chat/chat.ts";
import type { Locale } from "#messages/locale.ts";

/** The answer of the chat, and the documents that it is taken from, by their numbers in the text. */
export function Answer({ parts, locale }: { readonly parts: readonly AnswerPart[]; readonly locale: Locale }) {
  const sources = parts.flatMap(({ passages }) => passages.map(({ document }) => document));
  return (
    <section class="answer" aria-labelledby="answer">
      <h2 id="answer">{locale.messages.search_answer}</h2>
      <p class="passages" dir="auto">
        {parts.map(({ text }) => text).join("")}
      </p>
      <ol aria-label={locale.messages.search_answer_sources}>
        {sources.map(({ title, url }) => (
          <li>
            <a href={url} dir="auto">
              {title}
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}
