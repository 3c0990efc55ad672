import { ApiError } from "#protocol/errors.ts";
import { base64url } from "jose";

/** How a page offers a list's search, filters and sort orders. */
export interface ListWords {
  /** What an item is called, and several. */
  readonly one: string;
  readonly many?: string;
  /** The label of the search, which says what is searched. */
  readonly search: string;
  /** The filters with fixed values: the label, and that of each value. */
  readonly filters?: Readonly<Record<string, readonly [label: string, values: Readonly<Record<string, string>>]>>;
  /** The label of each order; with a minus in front, it is descending. */
  readonly sorts: Readonly<Record<string, string>>;
}

/** The filters and sort orders of a list. */
export interface ListSpec {
  /** By name: the possible values, or `null` for any text. */
  readonly filters: Readonly<Record<string, readonly string[] | null>>;
  /** The sort orders. The first is the default. */
  readonly sorts: readonly string[];
  /** Whether the default order is descending. */
  readonly isNewestFirst?: boolean;
  readonly words?: ListWords;
}

/** The part of a list that a caller requests. */
export interface ListQuery {
  /** The text that items must contain; the empty string matches all. */
  readonly search: string;
  readonly filters: ReadonlyMap<string, string>;
  readonly sort: string;
  readonly isDescending: boolean;
  readonly limit: number;
  /** The item next to the page: its sort key and its id. `null`: this is the first page. */
  readonly after: readonly [key: string | number, id: string] | null;
  /** Whether the page ends before that item instead of beginning after it. */
  readonly isBackward: boolean;
  /** `false`: don't count, so the page's total is 0. For callers that read page after page. */
  readonly isCounted?: false;
}

/** A page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The number of all items that match. */
  readonly total: number;
  /** Where the next page begins; `null` on the last one. */
  readonly nextCursor: string | null;
  /** Where the previous page ends; `null` on the first one. */
  readonly previousCursor: string | null;
}

/** Items of a page, if the caller requests no other number. */
export const LIST_LIMIT_USUAL = 50;

/** Maximum items of a page, because a page is read at once. */
export const LIST_LIMIT_MOST = 500;

/** The parameters that every list has. */
const LIST_PARAMETERS = ["search", "sort", "limit", "cursor"] as const;

/**
 * Parses the query of a list.
 *
 * @param parameters by name; each at most once
 * @throws {ApiError} `bad_request`, naming the parameter
 */
export function readListQuery(spec: ListSpec, parameters: ReadonlyMap<string, string>): ListQuery {
  const filters = new Map<string, string>();
  for (const [name, value] of parameters) {
    if ((LIST_PARAMETERS as readonly string[]).includes(name)) continue;
    const known = Object.hasOwn(spec.filters, name) ? spec.filters[name] : undefined;
    if (known === undefined) {
      const names = [...LIST_PARAMETERS, ...Object.keys(spec.filters)].join(", ");
      throw refused(name, `there is no such parameter; there are ${names}`);
    }
    if (known !== null && !known.includes(value)) throw refused(name, `it is one of ${known.join(", ")}`);
    filters.set(name, value);
  }
  const [usual = ""] = spec.sorts;
  const wanted = parameters.get("sort") ?? (spec.isNewestFirst ? `-${usual}` : usual);
  const sort = wanted.replace(/^-/, "");
  if (!spec.sorts.includes(sort)) {
    throw refused("sort", `it is one of ${spec.sorts.join(", ")}, with a minus in front for the greatest first`);
  }
  const limit = parameters.get("limit") ?? String(LIST_LIMIT_USUAL);
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > LIST_LIMIT_MOST) {
    throw refused("limit", `it is a number from 1 to ${LIST_LIMIT_MOST}`);
  }
  return {
    search: parameters.get("search") ?? "",
    filters,
    sort,
    isDescending: wanted !== sort,
    limit: Number(limit),
    ...readCursor(parameters.get("cursor"), wanted),
  };
}

/** Returns the sort order as a caller writes it: with a minus in front if it is descending. */
export function orderOf({ isDescending, sort }: Pick<ListQuery, "isDescending" | "sort">): string {
  return `${isDescending ? "-" : ""}${sort}`;
}

/**
 * Builds a page from the items next to {@link ListQuery.after} in its direction. If there is another page, `found` has one item
 * more than the page.
 *
 * @param placeOf returns an item's sort key and its id
 */
export function pageOf<Item>(
  query: ListQuery,
  found: readonly Item[],
  total: number,
  placeOf: (item: Item) => readonly [string | number, string],
): ListPage<Item> {
  const { isBackward } = query;
  const within = found.slice(0, query.limit);
  const items = isBackward ? within.toReversed() : within;
  const isMore = found.length > items.length;
  const cursor = (is: boolean, item: Item | undefined, backward: boolean) =>
    is && item !== undefined
      ? base64url.encode(JSON.stringify([orderOf(query), ...placeOf(item), ...(backward ? [true] : [])]))
      : null;
  return {
    items,
    total,
    nextCursor: cursor(isBackward || isMore, items.at(-1), false),
    previousCursor: cursor(isBackward ? isMore : query.after !== null, items[0], true),
  };
}

/**
 * Returns a page of a list that is short enough to be read completely. Filters and sort orders name members of its items.
 *
 * @param idOf returns what identifies an item
 */
export function listOf<Item extends object>(
  items: readonly Item[],
  query: ListQuery,
  idOf: (item: Item) => string,
): ListPage<Item> {
  const member = (item: Item, name: string) => (item as Readonly<Record<string, unknown>>)[name];
  const keyOf = (item: Item) => {
    const key = member(item, query.sort);
    return typeof key === "number" ? key : typeof key === "string" ? key.toLowerCase() : "";
  };
  const words = query.search.toLowerCase();
  const matching = items.filter(
    (item) =>
      (words === "" || isTextIn(item, words)) &&
      [...query.filters].every(([name, value]) => String(member(item, name)) === value),
  );
  const direction = query.isDescending === query.isBackward ? 1 : -1;
  const compare = ([a, aId]: readonly [string | number, string], [b, bId]: readonly [string | number, string]) =>
    direction * (a < b ? -1 : a > b ? 1 : aId < bId ? -1 : aId > bId ? 1 : 0);
  const placeOf = (item: Item) => [keyOf(item), idOf(item)] as const;
  const { after } = query;
  const behind = matching
    .toSorted((a, b) => compare(placeOf(a), placeOf(b)))
    .filter((item) => after === null || compare(placeOf(item), after) > 0);
  return pageOf(query, behind, matching.length, placeOf);
}

/**
 * Checks whether a text somewhere in a value contains the words, which are in lower case. Names of members don't count.
 */
function isTextIn(value: unknown, words: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(words);
  return typeof value === "object" && value !== null && Object.values(value).some((inner) => isTextIn(inner, words));
}

function readCursor(cursor: string | undefined, order: string): Pick<ListQuery, "after" | "isBackward"> {
  if (cursor === undefined) return { after: null, isBackward: false };
  try {
    const [of, key, id, isBackward] = JSON.parse(new TextDecoder().decode(base64url.decode(cursor))) as unknown[];
    const isKey = typeof key === "string" || typeof key === "number";
    if (of === order && isKey && typeof id === "string") return { after: [key, id], isBackward: isBackward === true };
  } catch {
    // It is not one of our cursors: refused below.
  }
  throw refused("cursor", "send the nextCursor or previousCursor of a page, and the same sort");
}

function refused(name: string, problem: string): ApiError {
  return new ApiError("bad_request", {
    reason: "list_query_unreadable",
    field: name,
    description: `The parameter ${name} is not acceptable: ${problem}`,
  });
}
