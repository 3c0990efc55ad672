/** A statement with its bound values. */
export interface BoundStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The part of a statement's result that stores and tests use. */
export interface StatementResult {
  readonly results: readonly Record<string, unknown>[];
  readonly meta: { readonly changes: number };
}

/** The part of D1 that stores and tests use, on top of anything that runs statements in one transaction. */
export class BatchedDatabase<Result extends StatementResult = StatementResult> {
  readonly #run: (statements: readonly BoundStatement[]) => Promise<Result[]>;
  readonly #bindable: (value: unknown) => unknown;

  /**
   * @param run runs statements in one transaction; throws the reason if they are refused
   * @param bindable converts a value to what `run` accepts; throws for a value that D1 refuses
   */
  constructor(
    run: (statements: readonly BoundStatement[]) => Promise<Result[]>,
    bindable: (value: unknown) => unknown,
  ) {
    this.#run = run;
    this.#bindable = bindable;
  }

  prepare(text: string): BatchedStatement<Result> {
    return new BatchedStatement(this, text, [], this.#bindable);
  }

  /** Runs statements in one transaction. */
  batch(statements: readonly BatchedStatement<Result>[]): Promise<Result[]> {
    return this.#run(statements.map(({ text, values }) => ({ text, values })));
  }

  /** Runs statements that take no values and return no rows. */
  async exec(text: string): Promise<void> {
    await this.batch([this.prepare(text)]);
  }
}

class BatchedStatement<Result extends StatementResult> implements BoundStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly #database: BatchedDatabase<Result>;
  readonly #bindable: (value: unknown) => unknown;

  constructor(
    database: BatchedDatabase<Result>,
    text: string,
    values: readonly unknown[],
    bindable: (value: unknown) => unknown,
  ) {
    this.#database = database;
    this.text = text;
    this.values = values;
    this.#bindable = bindable;
  }

  bind(...values: readonly unknown[]): BatchedStatement<Result> {
    return new BatchedStatement(this.#database, this.text, values.map(this.#bindable), this.#bindable);
  }

  async all(): Promise<Result | undefined> {
    return (await this.#database.batch([this]))[0];
  }

  run(): Promise<Result | undefined> {
    return this.all();
  }

  /** @throws {Error} if the rows have no such column */
  async first(column?: string): Promise<unknown> {
    const row = (await this.all())?.results[0] ?? null;
    if (row === null || column === undefined) return row;
    if (!Object.hasOwn(row, column)) throw new Error(`D1_COLUMN_NOTFOUND: Column not found (${column})`);
    return row[column];
  }
}
