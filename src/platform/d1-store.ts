import { allRows, firstRow, type Repetition, runStatement } from "./d1.ts";

/** Statements over the database. A store that records acts extends `AuditedStore` instead. Values are those of ?1 and up. */
export abstract class D1Store<Database extends D1Database = D1Database> {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  protected statement(sql: string, values: readonly unknown[] = []): D1PreparedStatement {
    return this.database.prepare(sql).bind(...values);
  }

  /** Returns the first row, or `null`. */
  protected first<Row>(sql: string, values?: readonly unknown[]): Promise<Row | null> {
    return firstRow<Row>(this.statement(sql, values));
  }

  protected all<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    return allRows<Row>(this.statement(sql, values));
  }

  /** Runs one statement. @returns how many rows it changed */
  protected run(sql: string, values: readonly unknown[], repetition?: Repetition): Promise<number> {
    return runStatement(this.statement(sql, values), repetition);
  }
}
