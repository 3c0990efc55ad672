import { type Locale, partsOf, textOf } from "#messages/locale.ts";
import { Ago } from "#pages/views/time.tsx";

/** A found document as the page shows it. */
export interface ResultShown {
  readonly title: string;
  readonly url: string;
  readonly datasource: string;
  readonly objectType: string;
  readonly authorName: string | null;
  /** Epoch seconds. */
  readonly updatedAt: number | null;
  /** How many other documents are nearly the same, and the address that lists them. */
  readonly copies: number;
  readonly alike: string;
  /** A passage, and the positions of the searched words in it; ends are exclusive. */
  readonly excerpt: { readonly text: string; readonly ranges: readonly (readonly [start: number, end: number])[] };
}

/** The results in order. Numbering continues from the previous pages. */
export function Documents({
  documents,
  first,
  now,
  locale,
}: {
  readonly documents: readonly ResultShown[];
  readonly first: number;
  readonly now: number;
  readonly locale: Locale;
}) {
  return (
    <ol class="results" start={first}>
      {documents.map((document) => (
        <li>
          <h2 dir="auto">
            <a href={document.url}>{document.title}</a>
          </h2>
          <p class="quiet">
            <span class="initial" aria-hidden="true">
              {document.datasource.slice(0, 1)}
            </span>
            <bdi>{document.datasource}</bdi> · <bdi>{document.objectType}</bdi>
            {document.authorName === null || document.authorName === "" ? null : (
              <>
                {" · "}
                <bdi>{document.authorName}</bdi>
              </>
            )}
            {document.updatedAt === null ? null : (
              <>
                {" · "}
                {partsOf(locale, "search_updated_at", {
                  day: <Ago at={document.updatedAt} now={now} language={locale.language} />,
                })}
              </>
            )}
          </p>
          <p class="passages" dir="auto">
            <Marked excerpt={document.excerpt} />
          </p>
          {document.copies === 0 ? null : (
            <p class="quiet">
              <a href={document.alike}>
                {document.copies === 1
                  ? locale.messages.search_one_alike
                  : textOf(locale, "search_alike", { count: document.copies })}
              </a>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

/** A passage with the searched words marked. It keeps the lines of lists and code, but no empty ones. */
function Marked({ excerpt: { text, ranges } }: Pick<ResultShown, "excerpt">) {
  let from = 0;
  const parts = ranges.flatMap(([start, end]) => {
    const before = dense(text.slice(from, start));
    from = end;
    return [before, <mark>{text.slice(start, end)}</mark>];
  });
  return (
    <>
      {parts}
      {dense(text.slice(from))}
    </>
  );
}

function dense(text: string): string {
  return text.replaceAll(/\n\s*\n/g, "\n");
}
