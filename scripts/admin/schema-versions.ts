import { allRows, runBatch, StorageUnavailable } from "#platform/d1.ts";
import { describeError } from "#platform/log.ts";
import type { TablesVersion } from "#platform/schema-version.ts";
import { UsageError } from "./failures.ts";
import { recordOf, type Schema } from "./schema-files.ts";
import { lacking, MASTER_QUERY, type MasterRow, readTables, tablesAfter } from "./schema-tables.ts";

const NOT_OURS = "Gatehouse needs its own database: check the database_id in wrangler.toml";

/** The version of a database, and what it lacks. */
export interface SchemaStatus {
  /** `null` if the database is empty. May be newer than this code, if that can serve it. */
  readonly version: number | null;
  /** What the database lacks or has differently. Only filled at the newest version. */
  readonly lacks: readonly string[];
}

/**
 * Reads the version of a database.
 *
 * @throws {UsageError} if it is not ours to change: newer than this code can serve, or with tables of unknown origin
 */
export async function readStatus(database: D1Database, schema: Schema): Promise<SchemaStatus> {
  const rows = await allRows<MasterRow>(database.prepare(MASTER_QUERY));
  const tables = readTables(rows);
  if (tables.size === 0) return { version: null, lacks: [] };
  const at = tables.has("table schema_versions") ? await readVersion(database) : null;
  if (at === null) {
    throw new UsageError(`The database has tables but no schema version, so it can't be upgraded. ${NOT_OURS}`);
  }
  const { version, oldestReader } = at;
  if (oldestReader > schema.newest) {
    throw new UsageError(
      `The database is at version ${version}, and this code knows ${schema.newest}: it needs code that knows ${oldestReader} or newer`,
    );
  }
  return { version, lacks: version === schema.newest ? lacking(tablesAfter(schema.whole), tables) : [] };
}

/**
 * Brings a database to the newest version: an empty one at once, an older one step by step. Each step is one transaction whose
 * first statement records the step's version. So a step is applied completely or not at all, and only once, however many commands
 * run it.
 *
 * @returns the versions that this run applied
 * @throws {UsageError} as {@link readStatus}, or if a step fails; the database then stays at the version of the step before
 */
export async function applySchema(
  database: D1Database,
  schema: Schema,
  now: number,
): Promise<{ applied: readonly number[] }> {
  const applied: number[] = [];
  let { version } = await readStatus(database, schema);
  while (version === null || version < schema.newest) {
    const target = version === null ? schema.newest : version + 1;
    const step = version === null ? undefined : schema.steps.find((candidate) => candidate.version === target);
    if (version !== null && !step) throw new UsageError(`There is no step from version ${version} to ${target}`);
    const record = database.prepare(recordOf(schema, step, now));
    const statements = (step?.statements ?? schema.whole).map((statement) => database.prepare(statement));
    try {
      await runBatch(database, step ? [record, ...statements] : [...statements, record]);
      applied.push(target);
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      // Another run may have applied it first. Then this run continues from that version.
      const status = await readStatus(database, schema);
      if (status.version === version) throw failedStep(step?.name ?? "schema.sql", version, error);
    }
    ({ version } = await readStatus(database, schema));
  }
  return { applied };
}

async function readVersion(database: D1Database): Promise<TablesVersion | null> {
  const [row] = await allRows<TablesVersion>(
    database.prepare(
      "SELECT max(version) AS version, max(oldest_reader) AS oldestReader FROM schema_versions HAVING count(*) > 0",
    ),
  );
  return row ?? null;
}

function failedStep(name: string, version: number | null, error: unknown): UsageError {
  const left = version === null ? "The database is still empty" : `The database is still at version ${version}`;
  return new UsageError(`${name} failed, and its changes were undone. ${left}. ${describeError(error)}`);
}
