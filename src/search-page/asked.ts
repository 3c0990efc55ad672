import type { Parameters } from "#protocol/parameters.ts";

export const RESULTS_PER_PAGE = 10;

/** Every cursor is in the address, and servers refuse addresses beyond some kilobytes. */
export const PAGES_MAX = 25;

const FACET_BUCKETS = 8;

/** A value of a facet that results must have. */
export interface Filter {
  readonly field: string;
  readonly value: string;
}

/** A search as the page's address says it. */
export interface Asked {
  readonly query: string;
  readonly filters: readonly Filter[];
  /** Results were updated on this day or later: `YYYY-MM-DD`, or whatever else the address has. */
  readonly since: string | undefined;
  /** The cursors of all pages after the first, up to this one: the last is this page's. */
  readonly cursors: readonly string[];
}

/** Reads the address. A filter is written `field:value`; anything else is ignored. */
export function readAsked(parameters: Parameters): Asked {
  const [query = ""] = parameters.all("q");
  const [since] = parameters.all("since");
  return { query, filters: parameters.all("filter").flatMap(parseFilter), since, cursors: parameters.all("page") };
}

function parseFilter(text: string): Filter[] {
  const colon = text.indexOf(":");
  return colon > 0 ? [{ field: text.slice(0, colon), value: text.slice(colon + 1) }] : [];
}

/** A filter as the address and the page's form write it. */
export function filterText({ field, value }: Filter): string {
  return `${field}:${value}`;
}

/** The address of a search. */
export function addressOf({ query, filters, since, cursors }: Asked): string {
  const parameters = new URLSearchParams({ q: query });
  for (const filter of filters) parameters.append("filter", filterText(filter));
  if (since !== undefined) parameters.append("since", since);
  for (const cursor of cursors) parameters.append("page", cursor);
  return `/search?${parameters.toString()}`;
}

/** Whether there is anything to look for. */
export function isAsked({ query, filters, since }: Asked): boolean {
  return query.trim() !== "" || filters.length > 0 || since !== undefined;
}

/** The same search as a request to the Client API (docs/search-api.md). */
export function requestOf({ query, filters, since, cursors }: Asked): Readonly<Record<string, unknown>> {
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
    ...(cursors.length === 0 ? {} : { cursor: cursors.at(-1) }),
  };
}

/** An invalid day, or the earliest possible one, is passed on unchanged, and the search refuses it. */
function dayBefore(day: string): string {
  const before = Date.parse(`${day}T00:00:00Z`) / 1000 - 86_400;
  return Number.isNaN(new Date(before * 1000).getTime()) ? day : dayAt(before);
}

/** The day of a time in epoch seconds, in UTC. */
export function dayAt(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
