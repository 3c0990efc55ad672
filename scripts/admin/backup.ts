import { createHash } from "node:crypto";
import { allRows, runBatch, StorageUnavailable } from "#platform/d1.ts";
import type { BackupFile, RowLine } from "./backup-file.ts";
import { UsageError } from "./failures.ts";
import { type Schema, schemaAt } from "./schema-files.ts";
import { type DataTable, dataTablesAfter } from "./schema-tables.ts";
import { applySchema, readStatus } from "./schema-versions.ts";

/** Rows to read at once. If they are too large for one response, the query is repeated with fewer. */
const PAGE_ROWS = 500;

/** Rows to insert in one batch. */
const BATCH_ROWS = 50;

/**
 * Tables that a database fills by itself, so that backups leave them out: by its creation, by triggers, which also run while rows
 * are restored, or by the Worker's cron trigger.
 */
export const OWN_TABLES: ReadonlySet<string> = new Set([
  "schema_versions",
  "people_counts",
  "policy_changes",
  "maintenance_runs",
]);

/**
 * Yields every row of a database, in pages. Rows that others refer to are read after them, so that a backup made while the
 * instance is in use has no row without the one that it belongs to.
 */
export async function* rowsOf(database: D1Database, schema: Schema): AsyncGenerator<RowLine[]> {
  for (const table of tablesOf(schema).toReversed()) {
    for await (const page of pagesOf(database, table)) yield page.map((row) => ({ table: table.name, row }));
  }
}

/** What was sent to a receiver, by table. */
const DELIVERIES: ReadonlySet<string> = new Set(["audit_deliveries", "alerts"]);

/**
 * Returns a backup as a copy beside the running deployment has to be: without the receivers of audit entries and alerts, to which both
 * would send. Apps and the SSO know the deployments by their hosts.
 */
export function forCopy(backup: BackupFile): BackupFile {
  return {
    ...backup,
    async *lines() {
      for await (const line of backup.lines()) {
        const table = tableOf(line);
        if (!DELIVERIES.has(table)) yield table === "instances" ? withoutReceivers(line) : line;
      }
    },
  };
}

function withoutReceivers(line: string): string {
  const { table, row } = JSON.parse(line) as RowLine;
  const settings = Object.entries(JSON.parse(String(row["settings"])) as Record<string, unknown>);
  const kept = Object.fromEntries(settings.filter(([name]) => !name.endsWith("Receiver")));
  return JSON.stringify({ table, row: { ...row, settings: JSON.stringify(kept) } });
}

function tableOf(line: string): string {
  return /^\{"table":"(\w+)",/.exec(line)?.[1] ?? "";
}

/**
 * Restores the rows of a backup into a database without tables, or with the empty ones of the backup's version, and then upgrades it.
 *
 * @returns how many rows this call wrote
 * @throws {UsageError} as {@link restoreRows}, and for a database of another version
 */
export async function restoreDatabase(database: D1Database, schema: Schema, backup: BackupFile): Promise<number> {
  const then = schemaAt(schema, backup.version);
  const now = Math.floor(Date.now() / 1000);
  const { version } = await readStatus(database, schema);
  if (version === null) await applySchema(database, then, now);
  else if (version !== then.newest) {
    throw new UsageError(
      `The database is at version ${version}, and the backup is of version ${then.newest}: restore it into a database without tables. If this command has already restored and upgraded it, go on with --only documents`,
    );
  }
  await requireNewest(database, then);
  const rows = await restoreRows(database, then, backup);
  await applySchema(database, schema, now);
  return rows;
}

/**
 * Writes the rows of a backup into a database that has the tables, and no rows except those of an interrupted restore of the same
 * backup. If it has all rows of the backup, nothing is left to do, whatever was added since.
 *
 * @returns how many rows this call wrote
 * @throws {UsageError} for a database that has other rows; then nothing is written
 */
async function restoreRows(database: D1Database, schema: Schema, backup: BackupFile): Promise<number> {
  const present = await presentRows(database, schema);
  if (await isWholeIn(backup, schema, present)) return 0;
  let rows = 0;
  // Rows that others refer to are written first, so the file is read once for each table.
  for (const table of tablesOf(schema)) rows += await restoreTable(database, table, backup, present);
  return rows;
}

/** @throws {UsageError} unless the database is at the newest version */
export async function requireNewest(database: D1Database, schema: Schema): Promise<void> {
  const { version, lacks } = await readStatus(database, schema);
  if (version === schema.newest && lacks.length === 0) return;
  throw new UsageError(
    version !== null && version > schema.newest
      ? `The database is at version ${version}: use the code that upgraded it`
      : "The database is not at the newest version. Run: npm run admin -- schema apply",
  );
}

/** Returns the rows of a database: the hash of each one's line, and its table. */
async function presentRows(database: D1Database, schema: Schema): Promise<ReadonlyMap<string, string>> {
  const present = new Map<string, string>();
  for await (const page of rowsOf(database, schema)) {
    for (const line of page) present.set(hashOf(JSON.stringify(line)), line.table);
  }
  return present;
}

/**
 * Checks whether a database has every row of a backup.
 *
 * @throws {UsageError} if it lacks some, and has others
 */
async function isWholeIn(backup: BackupFile, schema: Schema, present: ReadonlyMap<string, string>): Promise<boolean> {
  const restored = new Set(tablesOf(schema).map(({ name }) => name));
  const others = new Map(present);
  let isWhole = true;
  for await (const line of backup.lines()) {
    if (restored.has(tableOf(line)) && !others.delete(hashOf(line))) isWhole = false;
  }
  const [table] = others.values();
  if (isWhole || table === undefined) return isWhole;
  throw new UsageError(
    `The database has rows in ${table} that are not in the backup: restore a backup into an empty database`,
  );
}

async function restoreTable(
  database: D1Database,
  { name, columns }: DataTable,
  backup: BackupFile,
  present: ReadonlyMap<string, string>,
): Promise<number> {
  const places = columns.map((_column, index) => `?${index + 1}`).join(", ");
  const insert = database.prepare(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`);
  let waiting: D1PreparedStatement[] = [];
  let rows = 0;
  for await (const line of backup.lines()) {
    if (!line.startsWith(`{"table":"${name}",`) || present.has(hashOf(line))) continue;
    const { row } = JSON.parse(line) as RowLine;
    waiting.push(insert.bind(...columns.map((column) => row[column] ?? null)));
    rows += 1;
    if (waiting.length < BATCH_ROWS) continue;
    await runBatch(database, waiting);
    waiting = [];
  }
  if (waiting.length > 0) await runBatch(database, waiting);
  return rows;
}

async function* pagesOf(database: D1Database, { name, columns, key }: DataTable): AsyncGenerator<RowLine["row"][]> {
  const order = key.join(", ");
  const places = key.map((_column, index) => `?${index + 1}`).join(", ");
  let after: readonly (string | number | null)[] | undefined;
  for (let limit = PAGE_ROWS; ; ) {
    const where = after === undefined ? "" : `WHERE (${order}) > (${places})`;
    const statement = database.prepare(
      `SELECT ${columns.join(", ")} FROM ${name} ${where} ORDER BY ${order} LIMIT ${limit}`,
    );
    try {
      const page = await allRows<RowLine["row"]>(after === undefined ? statement : statement.bind(...after));
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

function hashOf(line: string): string {
  return createHash("sha256").update(line).digest("base64");
}

function tablesOf(schema: Schema): DataTable[] {
  return dataTablesAfter(schema.whole).filter(({ name }) => !OWN_TABLES.has(name));
}
