import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { migrate } from "#documents/migrations.ts";
import type { Store } from "#documents/store.ts";

/** An instance's documents in Node's SQLite, in memory or in a file. */
export class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path = ":memory:") {
    this.#database = new DatabaseSync(path);
    migrate(this);
  }

  exec<Row = never>(statement: string, ...values: readonly unknown[]): Row[] {
    let prepared = this.#statements.get(statement);
    if (prepared === undefined) {
      prepared = this.#database.prepare(statement);
      this.#statements.set(statement, prepared);
    }
    return prepared.all(...(values as SQLInputValue[])) as Row[];
  }

  /** Does what `transactionSync` does in the object. */
  transaction<Result>(act: () => Result): Result {
    this.#database.exec("BEGIN");
    try {
      const result = act();
      this.#database.exec("COMMIT");
      return result;
    } catch (cause) {
      this.#database.exec("ROLLBACK");
      throw cause;
    }
  }

  close(): void {
    this.#database.close();
  }
}
