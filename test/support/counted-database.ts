/** The cost of statements in D1, as D1 itself reports it. */
export interface StatementCost {
  statements: number;
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** Returns a cost of zero. */
export function noCost(): StatementCost {
  return { statements: 0, roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
}

/** The real statement behind each counting wrapper, for batches. */
const genuine = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

/**
 * Wraps a database to count what it runs.
 *
 * @param databaseOf returns the database for each statement, because a test file may begin a new one
 * @param costOf returns the cost to which the current statements are added
 * @param making makes each call
 */
export function countedDatabase(
  databaseOf: () => D1Database,
  costOf: () => StatementCost,
  making: <Result>(call: () => Promise<Result>) => Promise<Result> = (call) => call(),
): D1Database {
  const count = (results: readonly D1Result[]): void => {
    const cost = costOf();
    cost.roundTrips += 1;
    for (const { meta } of results) {
      cost.statements += 1;
      cost.rowsRead += meta.rows_read;
      cost.rowsWritten += meta.rows_written;
    }
  };
  const counted = (statement: D1PreparedStatement): D1PreparedStatement => {
    const run = async <Row>() => {
      const result = await making(() => statement.all<Row>());
      count([result]);
      return result;
    };
    const wrapper: Pick<D1PreparedStatement, "bind" | "first" | "all" | "run"> = {
      bind: (...values) => counted(statement.bind(...values)),
      // `first` hides what D1 reports about the statement. With `all`, D1 does the same work and reports it.
      first: async <Row>(column?: string) => {
        const row = (await run<Record<string, unknown>>()).results[0] ?? null;
        return (row === null || column === undefined ? row : (row[column] ?? null)) as Row;
      },
      all: run,
      run,
    };
    genuine.set(wrapper as D1PreparedStatement, statement);
    return wrapper as D1PreparedStatement;
  };
  const database: Pick<D1Database, "prepare" | "batch"> = {
    prepare: (sql) => counted(databaseOf().prepare(sql)),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      const originals = statements.map((statement) => genuine.get(statement) ?? statement);
      const results = await making(() => databaseOf().batch<Row>(originals));
      count(results);
      return results;
    },
  };
  return database as D1Database;
}
