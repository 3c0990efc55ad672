import type { Database, Rows } from "#documents-postgres/database.ts";

/** Calls `before` before each statement that matches. */
export function failingAt(database: Database, pattern: RegExp, before: (rows: Rows) => Promise<unknown>): Database {
  const observed = (rows: Rows): Rows => ({
    instanceId: rows.instanceId,
    all: async (statement, ...values) => {
      if (pattern.test(statement)) await before(rows);
      return rows.all(statement, ...values);
    },
    byKey: (statement, ...values) => rows.byKey(statement, ...values),
  });
  return {
    write: (instanceId, act) => database.write(instanceId, (rows) => act(observed(rows))),
    read: (instanceId, act) => database.read(instanceId, (rows) => act(observed(rows))),
  };
}
