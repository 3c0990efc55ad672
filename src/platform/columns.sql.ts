/**
 * Returns columns under the names of members, so that a row needs no translation: `created_at` becomes `created_at AS createdAt`.
 *
 * @param of the name of their table in the statement, with a dot
 */
export function asMembers(columns: string, of = ""): string {
  return columns.replaceAll(
    /\b(\w+\.)?([a-z_]+)\b/g,
    (_, own = of, column: string) => `${own}${column} AS ${memberOf(column)}`,
  );
}

function memberOf(column: string): string {
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The row of a value: its `Json` members are texts, and its `Flag` members 0 or 1. */
export type RowOf<Value, Json extends keyof Value, Flag extends keyof Value = never> = Omit<Value, Json | Flag> & {
  readonly [Member in Json]: null extends Value[Member] ? string | null : string;
} & { readonly [Member in Flag]: number };

/** Returns the function that reads the row of a value, whose columns are named {@link asMembers}. */
export function readerOf<Value>() {
  return <Json extends keyof Value & string, Flag extends keyof Value & string = never>(
    json: readonly Json[],
    flags: readonly Flag[] = [],
  ) =>
    (row: RowOf<Value, Json, Flag>): Value => {
      const texts = row as Readonly<Record<string, string | null>>;
      const read = json.map((name) => [name, JSON.parse(texts[name] ?? "null")] as const);
      const told = flags.map((name) => [name, Number(texts[name]) === 1] as const);
      return { ...row, ...Object.fromEntries<unknown>([...read, ...told]) } as Value;
    };
}
