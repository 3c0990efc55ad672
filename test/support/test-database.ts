import { BatchedDatabase, type StatementResult } from "./batched-database.ts";

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

interface Result extends StatementResult {
  readonly success: true;
  readonly meta: StatementResult["meta"] & { readonly rows_read: number; readonly rows_written: number };
}

/**
 * A database over an object with the same SQLite as D1's. test/platform/test-database.test.ts holds it to D1 statement by statement:
 * results, counts of rows, what is one transaction, and what is refused.
 */
export function testDatabase(object: DurableObjectStub<TestDatabaseObject>): BatchedDatabase<Result> {
  return new BatchedDatabase(async (statements) => {
    if (statements.length === 0) throw new Error("D1_ERROR: No SQL statements detected.");
    const bound = statements.map(({ text, values }) => ({ text, values: values as Value[] }));
    const { answers, failure = "" } = await object.batch(bound);
    if (!answers) throw new Error(`D1_ERROR: ${failure}`, { cause: new Error(failure) });
    return answers.map(resultOf);
  }, bindable);
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
