interface PagerProps {
  /** Addresses; absent if there is no such page. */
  readonly previous: string | null | undefined;
  readonly next: string | null | undefined;
  /** The link texts, in the language of the page; English if absent. */
  readonly words?: Readonly<Record<"previous" | "next", string>>;
}

const ENGLISH = { previous: "Previous", next: "Next" };

/** Links to the previous and the next page. */
export function PageLinks({ previous, next, words = ENGLISH }: PagerProps) {
  return (
    <>
      {previous ? (
        <a class="button" href={previous} rel="prev">
          {words.previous}
        </a>
      ) : null}
      {next ? (
        <a class="button" href={next} rel="next">
          {words.next}
        </a>
      ) : null}
    </>
  );
}

/** The same links in a navigation landmark; nothing if there is only one page. */
export function Pager({ label, ...links }: PagerProps & { readonly label: string }) {
  if (!links.previous && !links.next) return null;
  return (
    <nav class="actions" aria-label={label}>
      <PageLinks {...links} />
    </nav>
  );
}
