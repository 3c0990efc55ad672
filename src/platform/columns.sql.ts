/**
 * Returns columns under the names of members, so that a row needs no translation: `t.created_at` becomes `t.created_at AS createdAt`.
 */
export function asMembers(columns: string): string {
  return columns.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (column) => `${column} AS ${memberOf(column)}`);
}

function memberOf(column: string): string {
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The row of a value whose `Json` members are columns with JSON. */
export type RowOf<Value, Json extends keyof Value> = Omit<Value, Json> & { readonly [Member in Json]: string };
