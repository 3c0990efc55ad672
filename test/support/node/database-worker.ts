/**
 * Returns a Worker with an object that runs batches of statements on its own SQLite. It does what D1 does, but without the
 * requests, parsing and checks between a Worker and its D1 in Miniflare, which cost many times as much as the statements. An
 * object begins with the tables of schema.sql. It responds to each batch with one JSON text; a batch that fails changes nothing.
 * Batches are sent over a socket: a call of an object costs as much as three.
 *
 * @param schema the statements of schema.sql
 */
export function databaseWorker(schema: string[]) {
  return {
    name: "database",
    modules: true,
    bindings: { SCHEMA: schema },
    script: `
    import { DurableObject } from "cloudflare:workers";
    export class TestDatabaseObject extends DurableObject {
      #sql = this.ctx.storage.sql;
      #totalChanges = 0;
      constructor(ctx, env) {
        super(ctx, env);
        for (const statement of env.SCHEMA) this.#sql.exec(statement);
        this.#changesSince();
      }
      fetch() {
        const { 0: theirs, 1: ours } = new WebSocketPair();
        ours.accept();
        ours.addEventListener("message", ({ data }) => ours.send(JSON.stringify(this.#answer(JSON.parse(data)))));
        return new Response(null, { status: 101, webSocket: theirs });
      }
      #answer(statements) {
        try {
          const run = () => statements.map((statement) => this.#run(statement));
          // Alone, a statement is a transaction already.
          return { answers: statements.length === 1 ? run() : this.ctx.storage.transactionSync(run) };
        } catch (error) {
          return { failure: error.message };
        }
      }
      #run({ text, values }) {
        const cursor = this.#sql.exec(text, ...values.map((value) => (Array.isArray(value) ? new Uint8Array(value) : value)));
        const results = cursor.toArray();
        for (const row of results) {
          for (const name in row) if (row[name] instanceof ArrayBuffer) row[name] = [...new Uint8Array(row[name])];
        }
        const { rowsRead, rowsWritten } = cursor;
        const changes = rowsWritten === 0 ? 0 : this.#changesSince();
        return { success: true, results, meta: { changes, rows_read: rowsRead, rows_written: rowsWritten } };
      }
      #changesSince() {
        const before = this.#totalChanges;
        this.#totalChanges = this.#sql.exec("SELECT total_changes() AS changes").one().changes;
        return this.#totalChanges - before;
      }
    }
    export default {};`,
    durableObjects: { TEST_DATABASES: { className: "TestDatabaseObject", useSQLite: true } },
  };
}
