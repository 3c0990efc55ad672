/** The way through a list that is longer than a page. */
export function ListPages(props: {
  readonly first: string;
  readonly isFirst: boolean;
  readonly next: string | undefined;
}) {
  if (props.isFirst && props.next === undefined) return null;
  return (
    <nav class="toolbar" aria-label="Pages of the list">
      {props.isFirst ? null : (
        <a class="button" href={props.first}>
          Newest
        </a>
      )}
      {props.next === undefined ? null : (
        <a class="button" href={props.next} rel="next">
          Older
        </a>
      )}
    </nav>
  );
}
