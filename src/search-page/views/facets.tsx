export interface FacetShown {
  readonly field: string;
  /** Each with the address of the search that is narrowed to it. */
  readonly values: readonly { readonly value: string; readonly count: number; readonly address: string }[];
}

const NAMES: Readonly<Record<string, string>> = { datasource: "Datasource", type: "Type", from: "Author" };

/** The label of a field; a key of custom metadata is its own label. */
export function nameOf(field: string): string {
  return NAMES[field] ?? field;
}

/** What results have in common, as links that narrow the search to it. */
export function Facets(props: {
  readonly facets: readonly FacetShown[];
  readonly updated: readonly { readonly label: string; readonly address: string }[];
}) {
  return (
    <aside id="filters" class="filters" aria-label="Filter results">
      {props.facets.map(({ field, values }) => (
        <section>
          <h2>
            <bdi>{nameOf(field)}</bdi>
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
        <h2>Last updated</h2>
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
