import { repeatedly, within } from "./patience.ts";

/**
 * D1 did not respond in time, or not as its schema promises. The response is 503, because the caller did nothing wrong and may retry. A
 * write may have taken effect, or may still take effect: a caller that retries a claim (a code, a sign-in) may then hear that it was
 * already used.
 */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}

/** How long a request waits for D1, including repetitions. Hosts wait 30 seconds and more for a tool, people for a page not even ten. */
const ANSWER_MILLISECONDS_MAX = 10_000;

/** As in Cloudflare's example (https://developers.cloudflare.com/d1/best-practices/retry-queries/). */
const RETRIES = { attemptsMax: 5, firstWaitMillisecondsMax: 100, withinMilliseconds: ANSWER_MILLISECONDS_MAX };

/** D1's errors after which no statement of the call has run, so that any call may be repeated. */
const NOT_RUN = /SQLITE_BUSY|database is locked|Cannot resolve D1 DB due to transient issue|while starting up D1 DB/;

/** D1's errors after which the call may have taken effect, although its result was lost. An overloaded D1 is never asked again. */
const RESULT_LOST =
  /Network connection lost|reset because its code was updated|caused object to be reset|client disconnected/;

/** Statements that only read. */
const reads = new WeakSet<D1PreparedStatement>();

/**
 * Returns the database, which knows by their text which statements only read. Only these are repeated without asking their caller. If
 * a claim took effect and its result was lost, a repetition would look like a second use: of a code, that would end the grant.
 */
export function readsRepeated(database: D1Database): D1Database {
  return {
    prepare: (sql) => (/^\s*SELECT\b/i.test(sql) ? asRead(database.prepare(sql)) : database.prepare(sql)),
    batch: (statements) => database.batch(statements),
    exec: (sql) => database.exec(sql),
    withSession: (constraint) => database.withSession(constraint),
    dump: () => database.dump(),
  };
}

function asRead(statement: D1PreparedStatement): D1PreparedStatement {
  const bind = statement.bind.bind(statement);
  statement.bind = (...values) => asRead(bind(...values));
  reads.add(statement);
  return statement;
}

/** Whether a write may run twice: the second time, it has to change nothing and to return what it returned the first time. */
type Repetition = "repeatable" | "once";

/** A statement, which may still be being made. */
export type Statement = D1PreparedStatement | Promise<D1PreparedStatement>;

/** Runs statements in one round trip and one transaction: all of them take effect, or none. */
export async function runBatch(
  database: D1Database,
  statements: readonly Statement[],
  repetition: Repetition = "once",
): Promise<D1Result[]> {
  const made = await Promise.all(statements.map((statement) => Promise.resolve(statement)));
  const isRead = made.every((statement) => reads.has(statement));
  return guarded(() => database.batch(made), isRead || repetition === "repeatable");
}

/** Returns the first row of a statement, or `null`. */
export async function firstRow<Row>(statement: D1PreparedStatement): Promise<Row | null> {
  return guarded(() => statement.first<Row>(), reads.has(statement));
}

/** Returns all rows of a statement. */
export async function allRows<Row>(statement: D1PreparedStatement): Promise<Row[]> {
  return (await guarded(() => statement.all<Row>(), reads.has(statement))).results;
}

/** Runs one statement. @returns how many rows it changed */
export async function runStatement(statement: D1PreparedStatement, repetition: Repetition = "once"): Promise<number> {
  return (await guarded(() => statement.run(), repetition === "repeatable")).meta.changes;
}

/**
 * Returns a statement that deletes at most `?2` rows of a table that meet a condition.
 *
 * @param key the columns that identify a row
 * @param condition with `?1` for a time
 */
export function deletionOf(table: string, key: string, condition: string): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?2)`;
}

/** Returns the rows of one statement of a batch. */
export function rowsOf<Row>(results: D1Result[], index: number): Row[] {
  return (results[index]?.results ?? []) as Row[];
}

/** Returns how many rows one statement of a batch changed. */
export function changesOf(results: D1Result[], index: number): number {
  return results[index]?.meta.changes ?? 0;
}

async function guarded<Result>(act: () => Promise<Result>, isRepeatable: boolean): Promise<Result> {
  try {
    const mayRepeat = (error: unknown) => passes(error, isRepeatable);
    return await within(
      ANSWER_MILLISECONDS_MAX,
      "D1 did not answer in time",
      repeatedly({ ...RETRIES, mayRepeat }, act),
    );
  } catch (cause) {
    throw new StorageUnavailable("D1 failed", { cause });
  }
}

function passes(error: unknown, isRepeatable: boolean): boolean {
  const message = error instanceof Error ? error.message : "";
  return NOT_RUN.test(message) || (isRepeatable && RESULT_LOST.test(message));
}

/** Statements over the database. A store that records acts extends `AuditedStore` instead. Values are those of ?1 and up. */
export abstract class D1Store<Database extends D1Database = D1Database> {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  protected statement(sql: string, values: readonly unknown[] = []): D1PreparedStatement {
    return this.database.prepare(sql).bind(...values);
  }

  /** Returns the first row, or `null`. @param read converts it */
  protected async first<Row, Value = Row>(
    sql: string,
    values?: readonly unknown[],
    read: (row: Row) => Value = (row) => row as never,
  ): Promise<Value | null> {
    const row = await firstRow<Row>(this.statement(sql, values));
    return row === null ? null : read(row);
  }

  protected async all<Row, Value = Row>(
    sql: string,
    values?: readonly unknown[],
    read: (row: Row) => Value = (row) => row as never,
  ): Promise<Value[]> {
    return (await allRows<Row>(this.statement(sql, values))).map(read);
  }

  /** Runs one statement. @returns how many rows it changed */
  protected run(sql: string, values: readonly unknown[], repetition?: Repetition): Promise<number> {
    return runStatement(this.statement(sql, values), repetition);
  }
}
