import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { deflateRawSync, inflateRawSync } from "node:zlib";

interface Made {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** What SQLite and the platform make by themselves. */
const OWN = /^(sqlite_|_cf_)/;

/** The tables in which FTS5 keeps an index. `CREATE VIRTUAL TABLE` makes them, and they have rows from the beginning. */
const INDEX_TABLES = ["data", "idx", "docsize", "config"];

/** From this size on, a blob is compressed: many have long runs of zeros. */
const PACKED_BYTES_MIN = 100;

/** Short rows share a line. */
const LINE_CHARACTERS = 200;

/** Returns a database as SQL, which makes the same in an empty one. Triggers come last, so that they don't run for these rows. */
export function textOf(database: DatabaseSync): string {
  const made = (
    database.prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").all() as unknown as Made[]
  ).filter(({ name }) => !OWN.test(name));
  const inner = made
    .filter(({ sql }) => sql.startsWith("CREATE VIRTUAL"))
    .flatMap(({ name }) => INDEX_TABLES.map((table) => `${name}_${table}`));
  const written = (type: string) =>
    made.filter((each) => each.type === type && !inner.includes(each.name)).map(({ sql }) => `${onOneLine(sql)};`);
  const rows = made
    .filter(({ type, sql }) => type === "table" && !sql.startsWith("CREATE VIRTUAL"))
    .flatMap(({ name }) => [...(inner.includes(name) ? [`DELETE FROM ${name};`] : []), ...rowsOf(database, name)]);
  return [...written("table"), ...rows, ...written("index"), ...written("trigger"), ""].join("\n");
}

/** Makes a database of {@link textOf}. */
export function databaseOf(sql: string, path = ":memory:"): DatabaseSync {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  // Otherwise, nobody but FTS5 may write its tables.
  database.enableDefensive(false);
  database.function("unpacked", (text) => inflateRawSync(Buffer.from(String(text), "base64")));
  database.exec(`BEGIN;\n${sql}COMMIT;`);
  return database;
}

/** Comments are left out: `schema.sql` has them. */
function onOneLine(sql: string): string {
  return sql.replace(/--[^\n]*/g, "").replace(/\s+/g, " ");
}

function rowsOf(database: DatabaseSync, table: string): string[] {
  const statement = database.prepare(`SELECT * FROM ${table} ORDER BY 1`);
  statement.setReadBigInts(true);
  const rows = statement.all();
  if (rows.length === 0) return [];
  const columns = Object.keys(rows[0] ?? {}).join(", ");
  const lines = [""];
  for (const row of rows) {
    const text = `(${Object.values(row).map(literal).join(", ")})`;
    if ((lines.at(-1) ?? "").length + text.length < LINE_CHARACTERS) lines[lines.length - 1] += `${text}, `;
    else lines.push(`${text}, `);
  }
  return [`INSERT INTO ${table} (${columns}) VALUES`, `${lines.join("\n").slice(0, -2)};`];
}

function literal(value: SQLOutputValue): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (value.length < PACKED_BYTES_MIN) return `X'${Buffer.from(value).toString("hex")}'`;
  return `unpacked('${deflateRawSync(value).toString("base64")}')`;
}
