import type { Parameters } from "#protocol/parameters.ts";

export const RESULTS_PER_PAGE = 10;

/** The most pages of one search. */
const PAGES_MAX = 25;

/** The address contains every cursor, and servers refuse addresses longer than some kilobytes. */
const ADDRESS_LENGTH_MAX = 8000;

const FACET_BUCKETS = 8;

/** A value of a facet that results must have. */
export interface Filter {
  readonly field: string;
  readonly value: string;
}

/** A search as in the page's address. */
export interface Asked {
  readonly query: string;
  readonly filters: readonly Filter[];
  /** Only results updated on or after this day, `YYYY-MM-DD`. It is not validated here. */
  readonly since: string | undefined;
  /** The id of a document, if only those are shown that are nearly the same. */
  readonly like: string | undefined;
  /** The cursors of all pages from the second to this one; the last one is this page's. */
  readonly cursors: readonly string[];
}

/** Reads the address. A filter is written `field:value`; anything else is ignored. */
export function readAsked(parameters: Parameters): Asked {
  const [query = ""] = parameters.all("q");
  const [since] = parameters.all("since");
  const [like] = parameters.all("like");
  return {
    query,
    filters: parameters.all("filter").flatMap(parseFilter),
    since,
    like,
    cursors: parameters.all("page"),
  };
}

function parseFilter(text: string): Filter[] {
  const colon = text.indexOf(":");
  return colon > 0 ? [{ field: text.slice(0, colon), value: text.slice(colon + 1) }] : [];
}

/** Returns a filter as it is written in the address and the page's form. */
export function filterText({ field, value }: Filter): string {
  return `${field}:${value}`;
}

/** Returns the address of a search. */
export function addressOf({ query, filters, since, like, cursors }: Asked): string {
  const parameters = new URLSearchParams({ q: query });
  for (const filter of filters) parameters.append("filter", filterText(filter));
  if (since !== undefined) parameters.append("since", since);
  if (like !== undefined) parameters.append("like", like);
  for (const cursor of cursors) parameters.append("page", cursor);
  return `/search?${parameters.toString()}`;
}

/** Returns the address of the next page; `null`: the search has as many pages as one may have. */
export function nextAddressOf(asked: Asked, cursor: string): string | null {
  const address = addressOf({ ...asked, cursors: [...asked.cursors, cursor] });
  return asked.cursors.length + 1 >= PAGES_MAX || address.length > ADDRESS_LENGTH_MAX ? null : address;
}

/** Checks whether there is anything to search for. */
export function isAsked({ query, filters, since }: Asked): boolean {
  return query.trim() !== "" || filters.length > 0 || since !== undefined;
}

/** Converts the search to a request to the Client API (docs/client-api.md). */
export function requestOf({ query, filters, since, like, cursors }: Asked): Readonly<Record<string, unknown>> {
  const facetFilters = filters.map(({ field, value }) => ({ fieldName: field, values: [{ value }] }));
  if (since !== undefined) {
    const values = [{ value: dayBefore(since), relationType: "GT" as const }];
    facetFilters.push({ fieldName: "last_updated_at", values });
  }
  return {
    query,
    pageSize: RESULTS_PER_PAGE,
    maxSnippetSize: 240,
    requestOptions: { facetFilters, facetBucketSize: FACET_BUCKETS },
    ...(like === undefined ? {} : { similarTo: like }),
    ...(cursors.length === 0 ? {} : { cursor: cursors.at(-1) }),
  };
}

/**
 * Returns the day before. Returns an invalid day, or the earliest possible one, unchanged, and the search then refuses it.
 */
function dayBefore(day: string): string {
  const before = Date.parse(`${day}T00:00:00Z`) / 1000 - 86_400;
  return Number.isNaN(new Date(before * 1000).getTime()) ? day : dayAt(before);
}

/** Returns the day, in UTC, of a time in epoch seconds. */
export function dayAt(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
