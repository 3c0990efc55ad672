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
