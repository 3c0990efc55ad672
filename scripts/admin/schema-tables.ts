import { DatabaseSync } from "node:sqlite";

/** The tables, indexes and triggers of a database, by kind and name, each in a form that can be compared. */
export type Tables = ReadonlyMap<string, string>;

/** One row of `sqlite_master`. */
export interface MasterRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/** Reads the definitions of a database's tables, indexes and triggers, except SQLite's and D1's own. */
export const MASTER_QUERY = `SELECT type, name, sql FROM sqlite_master
  WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`;

/** Returns what statements create in an empty database. */
export function tablesAfter(...lists: readonly (readonly string[])[]): Tables {
  const database = new DatabaseSync(":memory:");
  try {
    for (const statement of lists.flat()) database.exec(statement);
    return readTables(database.prepare(MASTER_QUERY).all() as unknown as MasterRow[]);
  } finally {
    database.close();
  }
}

/** A table whose rows are data, not an index of other data. */
export interface DataTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, by which rows are paged. */
  readonly key: readonly string[];
}

/** Returns the tables that statements create, in the order in which they create them. */
export function dataTablesAfter(statements: readonly string[]): DataTable[] {
  const database = new DatabaseSync(":memory:");
  try {
    for (const statement of statements) database.exec(statement);
    const listed = database
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
      )
      .all() as { name: string }[];
    const known = new Set(listed.map(({ name }) => name));
    const made = database.prepare("SELECT name FROM sqlite_master ORDER BY rowid").all() as { name: string }[];
    const described = database.prepare("SELECT name, pk FROM pragma_table_info(?1)");
    return made
      .filter(({ name }) => known.has(name))
      .map(({ name }) => {
        const columns = described.all(name) as { name: string; pk: number }[];
        const key = columns.filter(({ pk }) => pk > 0).sort((left, right) => left.pk - right.pk);
        return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
      });
  } finally {
    database.close();
  }
}

/**
 * Brings a database's definitions into a form that can be compared, without the tables that virtual tables use internally.
 */
export function readTables(rows: readonly MasterRow[]): Tables {
  const virtual = rows.filter(({ sql }) => sql?.startsWith("CREATE VIRTUAL TABLE")).map(({ name }) => `${name}_`);
  return new Map(
    rows
      .filter(({ name }) => !virtual.some((prefix) => name.startsWith(prefix)))
      .map(({ type, name, sql }) => [`${type} ${name}`, normalised(sql ?? "")]),
  );
}

/** Returns what is missing from a database or differs. Anything else that it has is its owner's affair. */
export function lacking(wanted: Tables, found: Tables): string[] {
  return [...wanted.keys()].filter((key) => wanted.get(key) !== found.get(key));
}

/**
 * Returns a definition without comments, quoted names and formatting. The columns of a table are sorted: an added column is
 * always the last one, and none of our statements depends on their order.
 */
function normalised(sql: string): string {
  const plain = sql
    .replace(/--[^\n]*/g, " ")
    .replace(/"/g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, "$1")
    .trim();
  const table = /^(CREATE TABLE [^(]+)\((.*)\)([^()]*)$/.exec(plain);
  if (!table) return plain;
  const [, head = "", columns = "", tail = ""] = table;
  return `${head}(${splitColumns(columns).sort().join(",")})${tail}`;
}

/** Splits at commas that are outside parentheses. */
function splitColumns(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    depth += character === "(" ? 1 : character === ")" ? -1 : 0;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}
