import { type Locale, partsOf } from "#messages/locale.ts";
import { Day } from "#pages/views/time.tsx";

/** A found document as the page shows it. */
export interface ResultShown {
  readonly title: string;
  readonly url: string;
  readonly datasource: string;
  readonly objectType: string;
  readonly authorName: string | null;
  /** Epoch seconds. */
  readonly updatedAt: number | null;
  /** A passage, and the positions of the searched words in it; ends are exclusive. */
  readonly excerpt: { readonly text: string; readonly ranges: readonly (readonly [start: number, end: number])[] };
}

/** The results in order. Numbering continues from the previous pages. */
export function Documents({
  documents,
  first,
  locale,
}: {
  readonly documents: readonly ResultShown[];
  readonly first: number;
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
                {partsOf(locale, "search_updated_at", { day: <Day at={document.updatedAt} /> })}
              </>
            )}
          </p>
          <p dir="auto">
            <Marked excerpt={document.excerpt} />
          </p>
        </li>
      ))}
    </ol>
  );
}

/** A passage with the searched words marked. */
function Marked({ excerpt: { text, ranges } }: Pick<ResultShown, "excerpt">) {
  let from = 0;
  const parts = ranges.flatMap(([start, end]) => {
    const before = text.slice(from, start);
    from = end;
    return [before, <mark>{text.slice(start, end)}</mark>];
  });
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  );
}
