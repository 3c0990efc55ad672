import type { ListWords } from "#platform/listing.ts";
import type { Child } from "hono/jsx";
import { DataTable } from "./console-layout.tsx";
import { counted } from "#messages/catalogue.ts";
import { type Option, SelectField, TextField } from "./fields.tsx";
import { known, t } from "./console-frame.ts";
import { PageLinks } from "./pager.tsx";

/** A list as a page shows it. */
export interface ListView {
  /** The page's address. */
  readonly path: string;
  /** Absent if the list is read to the end. */
  readonly words: ListWords | undefined;
  /** The search, filters and order in the address, by field. */
  readonly values: Readonly<Record<string, string>>;
  readonly total: number;
  /** The addresses of the previous and next pages. */
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/** A list: the form that searches, filters and sorts it, its items, and links to its other pages. */
export function List(props: {
  readonly list: ListView;
  readonly caption: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly Child[])[];
}) {
  const { list, ...table } = props;
  return (
    <>
      <ListTools list={list} />
      <DataTable {...table} empty={t`Nothing matches.`} />
      <ListFoot list={list} />
    </>
  );
}

/** Returns options by their labels. The first one, "Any", filters nothing. */
export function filterOptions(labels: Readonly<Record<string, string>>): readonly Option[] {
  return [{ value: "", label: t`Any` }, ...optionsOf(labels)];
}

function optionsOf(labels: Readonly<Record<string, string>>): readonly Option[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label: known(label) }));
}

/** The form is sent with GET, so the resulting address can be bookmarked. */
function ListTools({ list: { path, words, values } }: { readonly list: ListView }) {
  const state = { values, errors: {} };
  const filters = Object.entries(words?.filters ?? {});
  const fields = [
    ...filters.map(([name, [label, labels]]) => ({ name, label: known(label), options: filterOptions(labels) })),
    { name: "sort", label: t`Sort by`, options: optionsOf(words?.sorts ?? {}) },
  ];
  const kept = Object.entries(values).filter(
    ([name]) => name !== "search" && !fields.some((field) => field.name === name),
  );
  return (
    <form method="get" action={path} class="toolbar" role="search">
      <TextField name="search" label={known(words?.search ?? "")} type="search" state={state} />
      {fields.map((field) => (
        <SelectField {...field} state={state} />
      ))}
      {kept.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit">{t`Search`}</button>
      <a class="button" href={path}>{t`Reset`}</a>
    </form>
  );
}

/** The number of items, and links to the previous and the next page. */
export function ListFoot({ list: { words, total, previous, next } }: { readonly list: ListView }) {
  // The list itself then says that it is empty.
  if (total === 0) return null;
  return (
    <nav class="toolbar" aria-label={t`Pages of the list`}>
      <span class="hint">{t`${counted(total, words?.one ?? "", words?.many)}`}</span>
      <PageLinks previous={previous} next={next} />
    </nav>
  );
}
