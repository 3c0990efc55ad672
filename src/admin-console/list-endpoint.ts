import type { ListView } from "#pages/views/list-view.tsx";
import { readQuery } from "#platform/http.ts";
import { type ListPage, type ListQuery, type ListSpec, orderOf, readListQuery } from "#platform/listing.ts";
import type { ConsoleContext } from "./http.ts";

/**
 * Reads the page of a list that an address asks for. Ignores empty fields, and parameters that only the page itself uses.
 *
 * @param usual default filters
 * @throws {ApiError} `bad_request`, naming the parameter
 */
export async function readList<Item>(
  c: ConsoleContext,
  spec: ListSpec,
  read: (instanceId: number, query: ListQuery) => Promise<ListPage<Item>>,
  usual: Readonly<Record<string, string>> = {},
): Promise<{ readonly items: readonly Item[]; readonly list: ListView }> {
  const given = new Map(Object.entries(usual));
  for (const name of ["search", "sort", "cursor", ...Object.keys(spec.filters)]) {
    const value = readQuery(c).all(name)[0]?.trim();
    if (value) given.set(name, value);
  }
  const query = readListQuery(spec, given);
  const { items, ...page } = await read(c.var.instance.policy.instanceId, query);
  const { search, filters } = query;
  const values = { ...Object.fromEntries(filters), ...(search === "" ? {} : { search }), sort: orderOf(query) };
  return { items, list: listView(c, spec, page, values) };
}

/** Returns a list as its page shows it. @param values the search, filters and order in the address, by field */
export function listView(
  c: ConsoleContext,
  { words }: ListSpec,
  { total, previousCursor, nextCursor }: Omit<ListPage<unknown>, "items">,
  values: Readonly<Record<string, string>>,
): ListView {
  const { path } = c.req;
  const hrefOf = (cursor: string | null) =>
    cursor === null ? undefined : `${path}?${new URLSearchParams({ ...values, cursor }).toString()}`;
  return { path, words, values, total, previous: hrefOf(previousCursor), next: hrefOf(nextCursor) };
}
