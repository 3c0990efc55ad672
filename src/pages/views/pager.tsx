interface PagerProps {
  /** Addresses; absent where there is no such page. */
  readonly previous: string | null | undefined;
  readonly next: string | null | undefined;
}

/** Links to the previous and the next page. */
export function PageLinks({ previous, next }: PagerProps) {
  return (
    <>
      {previous ? (
        <a class="button" href={previous} rel="prev">
          Previous
        </a>
      ) : null}
      {next ? (
        <a class="button" href={next} rel="next">
          Next
        </a>
      ) : null}
    </>
  );
}

/** The same links as a landmark of their own; nothing if there is only one page. */
export function Pager({ label, previous, next }: PagerProps & { readonly label: string }) {
  if (!previous && !next) return null;
  return (
    <nav class="actions" aria-label={label}>
      <PageLinks previous={previous} next={next} />
    </nav>
  );
}
