import { counted } from "./count.ts";
import { type Option, SelectField, TextField } from "./fields.tsx";
import { PageLinks } from "./pager.tsx";

/** A list as a page shows it. */
export interface ListView {
  /** The page's address. */
  readonly path: string;
  /** The search, filters and order in the address, by field. */
  readonly values: Readonly<Record<string, string>>;
  readonly total: number;
  /** The addresses of the previous and next pages. */
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/** A filter of a list. */
interface Filter {
  readonly name: string;
  readonly label: string;
  readonly options: readonly Option[];
}

/** Returns a filter's options. The first one, "Any", filters nothing. @param labels by value */
export function filterOptions(labels: Readonly<Record<string, string>>): readonly Option[] {
  return [{ value: "", label: "Any" }, ...Object.entries(labels).map(([value, label]) => ({ value, label }))];
}

/**
 * The form that searches, filters and sorts a list. It is sent with GET, so the resulting address can be bookmarked.
 */
export function ListTools(props: {
  readonly list: ListView;
  /** The label of the search field, which says what is searched. */
  readonly label: string;
  readonly filters?: readonly Filter[];
  readonly sorts: readonly Option[];
}) {
  const { list, label, filters = [], sorts } = props;
  const state = { values: list.values, errors: {} };
  const fields = [...filters, { name: "sort", label: "Sort by", options: sorts }];
  const kept = Object.entries(list.values).filter(
    ([name]) => name !== "search" && !fields.some((field) => field.name === name),
  );
  return (
    <form method="get" action={list.path} class="toolbar" role="search">
      <TextField name="search" label={label} type="search" state={state} />
      {fields.map((field) => (
        <SelectField {...field} state={state} />
      ))}
      {kept.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit">Search</button>
      <a class="button" href={list.path}>
        Reset
      </a>
    </form>
  );
}

/** The number of items, and links to the previous and the next page. */
export function ListFoot({
  list,
  one,
  many,
}: {
  readonly list: ListView;
  readonly one: string;
  readonly many?: string;
}) {
  // The list itself then says that it is empty.
  if (list.total === 0) return null;
  return (
    <nav class="toolbar" aria-label="Pages of the list">
      <span class="hint">{counted(list.total, one, many)}</span>
      <PageLinks previous={list.previous} next={list.next} />
    </nav>
  );
}
