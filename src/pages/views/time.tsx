/** Returns a day in UTC, such as `2026-11-22`. @param at epoch seconds */
export function dayOf(at: number): string {
  return new Date(at * 1000).toISOString().slice(0, 10);
}

export function Day({ at }: { readonly at: number }) {
  return <time datetime={new Date(at * 1000).toISOString()}>{dayOf(at)}</time>;
}

/** A time in UTC, to the minute. */
export function Minute({ at }: { readonly at: number }) {
  const iso = new Date(at * 1000).toISOString();
  return (
    <time datetime={iso}>
      <span>{iso.slice(0, 10)}</span> <span>{iso.slice(11, 16)} UTC</span>
    </time>
  );
}
