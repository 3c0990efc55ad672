import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { allRows, runBatch, StorageUnavailable } from "#platform/d1.ts";
import { UsageError } from "./context.ts";
import type { Schema } from "./schema-files.ts";
import { type DataTable, dataTablesAfter } from "./schema-tables.ts";
import { readStatus } from "./schema-versions.ts";

/** Rows that are read at once. Where they are too large for one answer, fewer are asked for. */
const PAGE_ROWS = 500;

/** Statements that are run at once. */
const BATCH_ROWS = 50;

/** Written by making the tables. */
const OWN_TABLES = new Set(["schema_versions"]);

/** One line of a backup: the first says what it is, each further one is a row. */
interface Head {
  readonly backup: "gatehouse";
  readonly version: number;
  readonly madeAt: string;
}
interface Line {
  readonly table: string;
  readonly row: Readonly<Record<string, string | number | null>>;
}

/**
 * Writes every row of a database to a file, as lines of JSON that only the file's owner may read. What rows refer to is read after
 * them, so that a backup made during work holds no row without the one that it belongs to.
 *
 * @returns how many rows
 * @throws {UsageError} unless the database is at the newest version
 */
export async function writeBackup(database: D1Database, schema: Schema, file: string): Promise<number> {
  await requireNewest(database, schema);
  const out = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be made: ${error.code === "EEXIST" ? "there is such a file" : error.message}`);
  });
  try {
    const head: Head = { backup: "gatehouse", version: schema.newest, madeAt: new Date().toISOString() };
    await out.write(`${JSON.stringify(head)}\n`);
    let rows = 0;
    for (const table of tablesOf(schema).toReversed()) {
      for await (const page of pagesOf(database, table)) {
        await out.write(page.map((row) => `${JSON.stringify({ table: table.name, row } satisfies Line)}\n`).join(""));
        rows += page.length;
      }
    }
    return rows;
  } finally {
    await out.close();
  }
}

/**
 * Writes the rows of a backup into a database that has the tables and nothing in them. The index of words is made anew on the way.
 *
 * @returns how many rows
 * @throws {UsageError} for a database that holds something, or a file that is no backup of this version
 */
export async function restoreBackup(database: D1Database, schema: Schema, file: string): Promise<number> {
  await requireNewest(database, schema);
  const tables = tablesOf(schema);
  for (const { name } of tables) {
    const [row] = await allRows(database.prepare(`SELECT 1 FROM ${name} LIMIT 1`));
    if (row !== undefined)
      throw new UsageError(`The database has rows in ${name}: a backup is restored into an empty one`);
  }
  await requireHead(file, schema.newest);
  let rows = 0;
  // What is referred to goes first, so the file is read once for each table.
  for (const table of tables) rows += await restoreTable(database, table, file);
  return rows;
}

async function restoreTable(database: D1Database, { name, columns }: DataTable, file: string): Promise<number> {
  const places = columns.map((_column, index) => `?${index + 1}`).join(", ");
  const insert = database.prepare(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`);
  let waiting: D1PreparedStatement[] = [];
  let rows = 0;
  for await (const line of linesOf(file)) {
    if (!line.startsWith(`{"table":"${name}",`)) continue;
    const { row } = JSON.parse(line) as Line;
    waiting.push(insert.bind(...columns.map((column) => row[column] ?? null)));
    rows += 1;
    if (waiting.length < BATCH_ROWS) continue;
    await runBatch(database, waiting);
    waiting = [];
  }
  if (waiting.length > 0) await runBatch(database, waiting);
  return rows;
}

async function* pagesOf(database: D1Database, { name, columns, key }: DataTable): AsyncGenerator<Line["row"][]> {
  const order = key.join(", ");
  const places = key.map((_column, index) => `?${index + 1}`).join(", ");
  let after: readonly (string | number | null)[] | undefined;
  for (let limit = PAGE_ROWS; ; ) {
    const where = after === undefined ? "" : `WHERE (${order}) > (${places})`;
    const statement = database.prepare(
      `SELECT ${columns.join(", ")} FROM ${name} ${where} ORDER BY ${order} LIMIT ${limit}`,
    );
    try {
      const page = await allRows<Line["row"]>(after === undefined ? statement : statement.bind(...after));
      yield page;
      const last = page.at(-1);
      if (!last || page.length < limit) return;
      after = key.map((column) => last[column] ?? null);
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || limit === 1) throw error;
      limit = Math.ceil(limit / 10);
    }
  }
}

async function requireNewest(database: D1Database, schema: Schema): Promise<void> {
  const { version, lacks } = await readStatus(database, schema);
  if (version === schema.newest && lacks.length === 0) return;
  throw new UsageError("The database is not at the newest version. Run: npm run admin -- schema apply");
}

async function requireHead(file: string, newest: number): Promise<void> {
  let first = "";
  for await (const line of linesOf(file)) {
    first = line;
    break;
  }
  const head = parseHead(first);
  if (!head) throw new UsageError(`${file} is no backup of Gatehouse`);
  if (head.version !== newest) {
    throw new UsageError(
      `The backup is of version ${head.version} and this code makes ${newest}: restore it with the code of its version, then upgrade`,
    );
  }
}

function parseHead(line: string): Head | undefined {
  try {
    const head = JSON.parse(line) as Partial<Head>;
    return head.backup === "gatehouse" ? (head as Head) : undefined;
  } catch {
    return undefined;
  }
}

/** Node's readline would also end a line at U+2028, which a document may hold. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let begun = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    const [first = "", ...more] = String(chunk).split("\n");
    begun += first;
    for (const next of more) {
      yield begun;
      begun = next;
    }
  }
  if (begun !== "") yield begun;
}

function tablesOf(schema: Schema): DataTable[] {
  return dataTablesAfter(schema.whole).filter(({ name }) => !OWN_TABLES.has(name));
}
