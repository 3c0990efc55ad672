import { foldName } from "#protocol/folding.ts";
import { rowsOf, runBatch } from "./d1.ts";
import { type ListPage, type ListQuery, type ListSpec, pageOf } from "./listing.ts";

/** Binds a value, and gives its place in the statement. */
type Bind = (value: string | number) => string;

/** How a list is read. Expressions are the code's own; whatever a caller sends is bound. */
export interface Listing<Spec extends ListSpec> {
  readonly columns: string;
  readonly from: string;
  /** Which rows there are at all; its parameters come first. */
  readonly where: string;
  /** What tells a row from all others. */
  readonly id: string;
  /** A condition: a row holds a text. */
  readonly search: (bind: Bind, text: string, folded: string) => string;
  /** Conditions by filter. */
  readonly filters: { readonly [Name in keyof Spec["filters"]]: (bind: Bind, value: string) => string };
  /** What rows are sorted by: never NULL, which no page would come behind. */
  readonly sorts: Readonly<Record<Spec["sorts"][number], string>>;
}

/** A condition that an expression has exactly this value. */
export function equals(expression: string) {
  return (bind: Bind, value: string): string => `${expression} = ${bind(value)}`;
}

/** A condition that one of several expressions holds a text. Not `LIKE`, because D1 refuses patterns of more than 50 bytes. */
export function holds(...expressions: readonly string[]) {
  return (bind: Bind, text: string, folded: string): string => {
    const [as, low] = [bind(text), bind(folded)];
    return `(${expressions.map((each) => `instr(lower(${each}), lower(${as})) > 0 OR instr(${each}, ${low}) > 0`).join(" OR ")})`;
  };
}

/**
 * One page of a list, and how many there are. The place is part of the WHERE, not a number of rows to pass over.
 *
 * @param bound the parameters of {@link Listing.where}
 * @param toItem what a row says; it has `list_key` and `list_id` beside its columns
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
  return { ...rest, items: items.map((row) => toItem(row as never)) };
}
