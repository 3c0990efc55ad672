import type { MessageKey } from "#messages/english.ts";
import type { Locale } from "#messages/locale.ts";

export interface FacetShown {
  readonly field: string;
  /** Each with the address of the search with this value as a filter. */
  readonly values: readonly { readonly value: string; readonly count: number; readonly address: string }[];
}

const NAMES: Readonly<Record<string, MessageKey>> = {
  datasource: "search_datasource",
  type: "search_type",
  from: "search_author",
};

/** Returns a field's label. A key of custom metadata is its own label. */
export function nameOf(field: string, { messages }: Locale): string {
  const key = NAMES[field];
  return key === undefined ? field : messages[key];
}

/** Counts of results by value, as links that filter the search. */
export function Facets(props: {
  readonly locale: Locale;
  readonly facets: readonly FacetShown[];
  readonly updated: readonly { readonly label: string; readonly address: string }[];
}) {
  return (
    <aside id="filters" class="filters" aria-label={props.locale.messages.search_narrow}>
      {props.facets.map(({ field, values }) => (
        <section>
          <h2>
            <bdi>{nameOf(field, props.locale)}</bdi>
          </h2>
          <ul>
            {values.map(({ value, count, address }) => (
              <li>
                <a href={address} dir="auto">
                  {value}
                </a>{" "}
                <span class="quiet">{count}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <section>
        <h2>{props.locale.messages.search_updated}</h2>
        <ul>
          {props.updated.map(({ label, address }) => (
            <li>
              <a href={address}>{label}</a>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  );
}
