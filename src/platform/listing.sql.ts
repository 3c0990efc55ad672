import { foldName } from "#protocol/folding.ts";
import { rowsOf, runBatch } from "./d1.ts";
import { type ListPage, type ListQuery, type ListSpec, pageOf } from "./listing.ts";

/** Binds a value, and returns its parameter. */
type Bind = (value: string | number) => string;

/** How a list is read. Expressions come from our code; whatever a caller sends is bound. */
export interface Listing<Spec extends ListSpec> {
  readonly columns: string;
  readonly from: string;
  /** The condition that all rows of the list meet. Its parameters come first. */
  readonly where: string;
  /** The expression that identifies a row. */
  readonly id: string;
  /** Returns the condition that a row contains a text. */
  readonly search: (bind: Bind, text: string, folded: string) => string;
  /** The conditions of filters. */
  readonly filters: { readonly [Name in keyof Spec["filters"]]: (bind: Bind, value: string) => string };
  /** The expressions that rows are sorted by. They must never be NULL, because no page could begin after it. */
  readonly sorts: Readonly<Record<Spec["sorts"][number], string>>;
}

/** Returns the condition that an expression has exactly this value. */
export function equals(expression: string) {
  return (bind: Bind, value: string): string => `${expression} = ${bind(value)}`;
}

/**
 * Returns the condition that one of several expressions contains a text. Not `LIKE`, because D1 refuses patterns of more than 50 bytes.
 */
export function holds(...expressions: readonly string[]) {
  return (bind: Bind, text: string, folded: string): string => {
    const [as, low] = [bind(text), bind(folded)];
    return `(${expressions.map((each) => `instr(lower(${each}), lower(${as})) > 0 OR instr(${each}, ${low}) > 0`).join(" OR ")})`;
  };
}

/**
 * Reads one page of a list, and the number of all its rows. The page's position is part of the WHERE, not a number of rows to skip.
 *
 * @param bound the parameters of {@link Listing.where}
 * @param toItem converts a row
 */
export async function readListing<Item>(
  database: D1Database,
  listing: Listing<ListSpec>,
  bound: readonly (string | number)[],
  query: ListQuery,
  toItem: (row: never) => Item,
): Promise<ListPage<Item>> {
  const values = [...bound];
  const bind: Bind = (value) => `?${values.push(value)}`;
  const { columns, from, where, id, search } = listing;
  const key = listing.sorts[query.sort] ?? id;
  const conditions = [where];
  if (query.search !== "") conditions.push(search(bind, query.search, foldName(query.search)));
  for (const [name, value] of query.filters) {
    const condition = listing.filters[name]?.(bind, value);
    if (condition !== undefined) conditions.push(condition);
  }
  const counting = [];
  if (query.isCounted !== false) {
    const count = `SELECT count(*) AS total FROM ${from} WHERE ${conditions.join(" AND ")}`;
    counting.push(database.prepare(count).bind(...values));
  }
  const [direction, behind] = query.isDescending === query.isBackward ? ["ASC", ">"] : ["DESC", "<"];
  if (query.after !== null) {
    conditions.push(`(${key}, ${id}) ${behind} (${bind(query.after[0])}, ${bind(query.after[1])})`);
  }
  const page = database
    .prepare(
      `SELECT ${columns}, ${key} AS list_key, ${id} AS list_id FROM ${from} WHERE ${conditions.join(" AND ")}
       ORDER BY list_key ${direction}, list_id ${direction} LIMIT ${bind(query.limit + 1)}`,
    )
    .bind(...values);
  const results = await runBatch(database, [page, ...counting]);
  const [{ total } = { total: 0 }] = rowsOf<{ total: number }>(results, 1);
  const rows = rowsOf<{ readonly list_key: string | number; readonly list_id: string | number }>(results, 0);
  const { items, ...rest } = pageOf(query, rows, total, (row) => [row.list_key, String(row.list_id)]);
  return { ...rest, items: items.map(({ list_key: _key, list_id: _id, ...row }) => toItem(row as never)) };
}
