import { t } from "./console-frame.ts";

interface PagerProps {
  /** Addresses; absent if there is no such page. */
  readonly previous: string | null | undefined;
  readonly next: string | null | undefined;
  /** The link texts, outside the console. */
  readonly words?: Readonly<Record<"previous" | "next", string>>;
}

/** Links to the previous and the next page. */
export function PageLinks({ previous, next, words = { previous: t`Previous`, next: t`Next` } }: PagerProps) {
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
