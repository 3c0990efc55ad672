/** What statements cost in D1, by what D1 itself says of each. */
export interface StatementCost {
  statements: number;
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** No cost yet. */
export function noCost(): StatementCost {
  return { statements: 0, roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
}

/** What each statement of a batch stands for, behind the wrapper that counts. */
const genuine = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

/**
 * A database that counts what is run there.
 *
 * @param databaseOf the database, asked for with each statement: a test file may begin a new one
 * @param costOf where the cost of what is run now is added
 */
export function countedDatabase(databaseOf: () => D1Database, costOf: () => StatementCost): D1Database {
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
      const result = await statement.all<Row>();
      count([result]);
      return result;
    };
    const wrapper: Pick<D1PreparedStatement, "bind" | "first" | "all" | "run"> = {
      bind: (...values) => counted(statement.bind(...values)),
      // `first` keeps what D1 says of the statement to itself; asked for all rows, D1 does the same work and tells.
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
      const results = await databaseOf().batch<Row>(statements.map((statement) => genuine.get(statement) ?? statement));
      count(results);
      return results;
    },
  };
  return database as D1Database;
}
