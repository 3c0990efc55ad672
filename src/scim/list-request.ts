import type { PartAsked } from "#directories/directory.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { ScimError } from "#protocol/errors.ts";
import { parseScimFilter } from "#protocol/scim-filter.ts";
import type { ScimResource } from "./resources.ts";

/** The default and the maximum number of resources in a response. */
const COUNT_USUAL = 100;
export const COUNT_MAX = 200;

/** Reads the query of a list (RFC 7644 §3.4.2). @throws {ScimError} `invalidFilter`, `invalidValue` */
export function readPartAsked(query: Parameters): PartAsked {
  const [filter] = query.all("filter");
  return {
    filter: filter === undefined ? null : readFilter(filter),
    startIndex: Math.max(1, readNumber(query, "startIndex", 1)),
    count: Math.min(COUNT_MAX, Math.max(0, readNumber(query, "count", COUNT_USUAL))),
  };
}

function readFilter(text: string) {
  const filter = parseScimFilter(text);
  if (filter) return filter;
  const description = 'The filter is malformed: write attribute eq "value", with and, or, not and parentheses';
  throw new ScimError("invalidFilter", { reason: "scim_filter_refused", field: "filter", description });
}

function readNumber(query: Parameters, name: string, usual: number): number {
  const [text] = query.all(name);
  if (text === undefined) return usual;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  const description = `${name} must be a whole number`;
  throw new ScimError("invalidValue", { reason: "scim_value_refused", field: name, description });
}

export function toListAnswer(resources: readonly ScimResource[], total: number, startIndex: number): ScimResource {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
