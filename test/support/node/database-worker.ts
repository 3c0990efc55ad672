/**
 * A Worker with an object that runs batches of statements on its own SQLite: what D1 is, without the requests, the parsing and the
 * checks that lie between a Worker and its D1 in Miniflare, which cost six times as much as the statements. It answers each batch
 * with one piece of JSON; a batch that fails changes nothing.
 */
export const DATABASE_WORKER = {
  name: "database",
  modules: true,
  script: `
    import { DurableObject } from "cloudflare:workers";
    const CHANGES = "SELECT total_changes() AS changes";
    export class TestDatabaseObject extends DurableObject {
      batch(statements) {
        const { storage } = this.ctx;
        const { sql } = storage;
        try {
          const answers = storage.transactionSync(() => statements.map(({ text, values }) => {
            const before = sql.exec(CHANGES).one().changes;
            const cursor = sql.exec(text, ...values);
            const rows = [...cursor.raw()];
            const changes = sql.exec(CHANGES).one().changes - before;
            return { columns: cursor.columnNames, rows, changes, read: cursor.rowsRead, written: cursor.rowsWritten };
          }));
          return { answers };
        } catch (error) {
          return { failure: error.message };
        }
      }
    }
    export default {};`,
  durableObjects: { TEST_DATABASES: { className: "TestDatabaseObject", useSQLite: true } },
};
