import { DatabaseSync } from "node:sqlite";

/** Divides SQL into statements. A step needs the tables that the steps before it made, so use one divider for files in order. */
export class StatementDivider {
  readonly #database = new DatabaseSync(":memory:");

  /**
   * SQLite itself finds where each statement ends. It parses a statement only when the tables that the statement names exist, so each
   * one is also run, on a database in memory.
   *
   * @param file named in errors
   * @throws for SQL that SQLite does not run
   */
  statementsOf(file: string, sql: string): string[] {
    const statements: string[] = [];
    try {
      for (let rest = begun(sql); rest !== ""; ) {
        const statement = this.#database.prepare(rest);
        statement.run();
        statements.push(statement.sourceSQL.replace(/;$/, ""));
        rest = begun(rest.slice(statement.sourceSQL.length));
      }
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${file}: statement ${statements.length + 1} does not run: ${reason}`, { cause });
    }
    return statements;
  }

  close(): void {
    this.#database.close();
  }
}

/** Returns the statements of SQL that starts from an empty database, as `schema.sql` does. */
export function statementsOf(file: string, sql: string): string[] {
  const divider = new StatementDivider();
  try {
    return divider.statementsOf(file, sql);
  } finally {
    divider.close();
  }
}

/** Returns the text from the beginning of the next statement. SQLite doesn't count comments alone as a statement. */
function begun(sql: string): string {
  return sql.replace(/^(?:[\s;]|--[^\n]*|\/\*[^]*?\*\/)+/, "");
}
