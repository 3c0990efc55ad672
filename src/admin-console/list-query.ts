import { type ListPage, type ListQuery, type ListSpec, orderOf, readListQuery } from "#platform/listing.ts";
import type { Parameters } from "#protocol/parameters.ts";

/**
 * Reads the query of a list from the address of its page. Ignores empty fields, and parameters that only the page itself uses.
 *
 * @param usual default filters
 * @throws {ApiError} `bad_request`, naming the parameter
 */
export function listQueryOf(
  spec: ListSpec,
  parameters: Parameters,
  usual: Readonly<Record<string, string>> = {},
): ListQuery {
  const given = new Map(Object.entries(usual));
  for (const name of ["search", "sort", "cursor", ...Object.keys(spec.filters)]) {
    const value = parameters.all(name)[0]?.trim();
    if (value) given.set(name, value);
  }
  return readListQuery(spec, given);
}

/**
 * Returns a list as its page shows it.
 *
 * @param path the page's address
 * @param asked the fields of the address, if they differ from the query
 */
export function listView(
  path: string,
  query: ListQuery,
  page: Omit<ListPage<unknown>, "items">,
  asked?: Readonly<Record<string, string>>,
) {
  const { search, filters } = query;
  const values = asked ?? {
    ...Object.fromEntries(filters),
    ...(search === "" ? {} : { search }),
    sort: orderOf(query),
  };
  const hrefOf = (cursor: string | null) =>
    cursor === null ? undefined : `${path}?${new URLSearchParams({ ...values, cursor }).toString()}`;
  return { path, values, total: page.total, previous: hrefOf(page.previousCursor), next: hrefOf(page.nextCursor) };
}
