import type { CustomValue } from "#documents/engine.ts";
import type { Brand } from "#instance/policy-snapshot.ts";
import { Layout, type Reader } from "#pages/views/layout.tsx";
import { Day } from "#pages/views/time.tsx";
import type { Child } from "hono/jsx";

/** A part of a text, up to the next section, and what opens it in the page's URL. */
export interface Section {
  readonly fragment: string | null;
  readonly text: string;
}

interface DocumentShown {
  readonly title: string;
  readonly sections: readonly Section[];
  readonly datasource: string;
  readonly objectType: string;
  readonly authorName: string | null;
  /** Epoch seconds. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly customData: readonly CustomValue[];
  /** Its address elsewhere; `null`: it has none but this page. */
  readonly source: string | null;
}

/** A document to read and print: its text as it is stored, line by line, below what is known about it. */
export function DocumentPage(props: Reader & { readonly brand: Brand; readonly document: DocumentShown }) {
  const { brand, locale, person, csrfToken, document } = props;
  const { messages } = locale;
  const { title, sections, authorName, createdAt, updatedAt, source } = document;
  const facts: (readonly [label: string, value: Child])[] = [
    [messages.search_datasource, document.datasource],
    [messages.search_type, document.objectType],
    [messages.search_author, authorName],
    [messages.document_created, createdAt === null ? null : <Day at={createdAt} />],
    [messages.search_updated, updatedAt === null ? null : <Day at={updatedAt} />],
    ...document.customData.map(({ key, values }) => [key, values.join(", ")] as const),
    [messages.document_source, source === null ? null : <a href={source}>{source}</a>],
  ];
  return (
    <Layout title={title} brand={brand} locale={locale} width="list" reader={{ person, csrfToken }}>
      <article>
        <h1 dir="auto">{title}</h1>
        <dl class="facts about">
          {facts
            .filter(([, value]) => value !== null && value !== "")
            .map(([label, value]) => (
              <div>
                <dt>
                  <bdi>{label}</bdi>
                </dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
        </dl>
        {sections.every(({ text }) => text.trim() === "") ? (
          <p class="quiet">{messages.document_no_text}</p>
        ) : (
          <div class="text" dir="auto">
            {sections.map(({ fragment, text }) => (
              <>
                {fragment === null ? null : <span id={fragment} />}
                {text}
              </>
            ))}
          </div>
        )}
      </article>
    </Layout>
  );
}
