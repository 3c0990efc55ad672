/**
 * D1 did not respond, or not as its schema promises. The response is 503, because the caller did nothing wrong and may retry.
 */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}

/** A statement, which may still be being made. */
export type Statement = D1PreparedStatement | Promise<D1PreparedStatement>;

/** Runs statements in one round trip and one transaction: all of them take effect, or none. */
export async function runBatch(database: D1Database, statements: readonly Statement[]): Promise<D1Result[]> {
  const made = await Promise.all(statements.map((statement) => Promise.resolve(statement)));
  return guarded(() => database.batch(made));
}

/** Returns the first row of a statement, or `null`. */
export async function firstRow<Row>(statement: D1PreparedStatement): Promise<Row | null> {
  return guarded(() => statement.first<Row>());
}

/** Returns all rows of a statement. */
export async function allRows<Row>(statement: D1PreparedStatement): Promise<Row[]> {
  return (await guarded(() => statement.all<Row>())).results;
}

/** Runs one statement. @returns how many rows it changed */
export async function runStatement(statement: D1PreparedStatement): Promise<number> {
  return (await guarded(() => statement.run())).meta.changes;
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

/**
 * A statement that was refused because of a lock has not run, so running it again is safe. After this many attempts, the lock is no
 * accident.
 */
const ATTEMPTS_MAX = 4;

async function guarded<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (cause) {
      const isLocked = cause instanceof Error && /SQLITE_BUSY|database is locked/.test(cause.message);
      if (!isLocked || attempt === ATTEMPTS_MAX) throw new StorageUnavailable("D1 failed", { cause });
      await new Promise((resolve) => setTimeout(resolve, 25 * 2 ** attempt));
    }
  }
}
