/** What SQLite takes and gives. */
type Value = string | number | null | ArrayBuffer;

/** What the object of database-worker.ts answers for one statement. */
interface Answer {
  columns: string[];
  rows: Value[][];
  changes: number;
  read: number;
  written: number;
}

/** The object of database-worker.ts. */
export interface TestDatabaseObject extends Rpc.DurableObjectBranded {
  batch(statements: { text: string; values: Value[] }[]): Promise<{ answers?: Answer[]; failure?: string }>;
}

/** As much of the result of a statement as stores and tests use. */
interface Result {
  readonly success: true;
  readonly results: Record<string, unknown>[];
  readonly meta: { readonly changes: number; readonly rows_read: number; readonly rows_written: number };
}

/**
 * As much of D1 as stores and tests use, over an object with the same SQLite as D1's. test/platform/test-database.test.ts holds it to
 * D1 statement by statement: results, counts of rows, what is one transaction, and what is refused.
 */
export class TestDatabase {
  readonly #object: () => DurableObjectStub<TestDatabaseObject>;

  constructor(object: () => DurableObjectStub<TestDatabaseObject>) {
    this.#object = object;
  }

  prepare(text: string): TestStatement {
    return new TestStatement(this, text, []);
  }

  /** Runs statements in one transaction. */
  async batch(statements: readonly TestStatement[]): Promise<Result[]> {
    if (statements.length === 0) throw new Error("D1_ERROR: No SQL statements detected.");
    const { answers, failure = "" } = await this.#object().batch(
      statements.map(({ text, values }) => ({ text, values })),
    );
    if (!answers) throw new Error(`D1_ERROR: ${failure}`, { cause: new Error(failure) });
    return answers.map(resultOf);
  }

  /** Runs statements that take no values and answer no rows. */
  async exec(text: string): Promise<void> {
    await this.batch([this.prepare(text)]);
  }
}

class TestStatement {
  readonly text: string;
  readonly values: Value[];
  readonly #database: TestDatabase;

  constructor(database: TestDatabase, text: string, values: Value[]) {
    this.#database = database;
    this.text = text;
    this.values = values;
  }

  bind(...values: readonly unknown[]): TestStatement {
    return new TestStatement(this.#database, this.text, values.map(bindable));
  }

  async all(): Promise<Result | undefined> {
    return (await this.#database.batch([this]))[0];
  }

  run(): Promise<Result | undefined> {
    return this.all();
  }

  async first(column?: string): Promise<unknown> {
    const row = (await this.all())?.results[0] ?? null;
    if (row === null || column === undefined) return row;
    if (!Object.hasOwn(row, column)) throw new Error(`D1_COLUMN_NOTFOUND: Column not found (${column})`);
    return row[column];
  }
}

function bindable(value: unknown): Value {
  if (value === null || typeof value === "string" || value instanceof ArrayBuffer) return value;
  // D1 is sent JSON, which has no other numbers.
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return Number(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice().buffer;
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${value as string}'`);
}

function resultOf({ columns, rows, changes, read, written }: Answer): Result {
  const plain = (value: Value | undefined) => (value instanceof ArrayBuffer ? [...new Uint8Array(value)] : value);
  const results = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, plain(row[at])])));
  return { success: true, results, meta: { changes, rows_read: read, rows_written: written } };
}
