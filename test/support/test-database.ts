import { BatchedDatabase, type BoundStatement, type StatementResult } from "./batched-database.ts";

/** The object of database-worker.ts. */
export type TestDatabaseObject = Rpc.DurableObjectBranded;

interface Result extends StatementResult {
  readonly success: true;
  readonly meta: StatementResult["meta"] & { readonly rows_read: number; readonly rows_written: number };
}

/** The object's response to a batch. */
interface Outcome {
  readonly answers?: Result[];
  readonly failure?: string;
}

/**
 * Returns a database in an object with the same SQLite as D1's. test/platform/test-database.test.ts compares it with D1 statement
 * by statement: results, counts of rows, what is one transaction, and what is refused.
 */
export function testDatabase(object: DurableObjectStub<TestDatabaseObject>): BatchedDatabase<Result> {
  let connection: Promise<Connection> | undefined;
  return new BatchedDatabase(async (statements) => {
    if (statements.length === 0) throw new Error("D1_ERROR: No SQL statements detected.");
    connection ??= Connection.to(object);
    const { answers, failure = "" } = await (await connection).run(statements);
    if (!answers) throw new Error(`D1_ERROR: ${failure}`, { cause: new Error(failure) });
    return answers;
  }, bindable);
}

/** A socket to the object, which responds to batches in the order in which they arrive. */
class Connection {
  readonly #socket: WebSocket;
  readonly #waiting: PromiseWithResolvers<Outcome>[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.#waiting.shift()?.resolve(JSON.parse(data as string) as Outcome);
    });
    const end = () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error("D1_ERROR: the database is gone"));
    };
    socket.addEventListener("close", end);
    socket.addEventListener("error", end);
  }

  static async to(object: DurableObjectStub<TestDatabaseObject>): Promise<Connection> {
    const { webSocket } = await object.fetch("http://database/", { headers: { Upgrade: "websocket" } });
    if (!webSocket) throw new Error("the object answers with a socket");
    webSocket.accept();
    return new Connection(webSocket);
  }

  run(statements: readonly BoundStatement[]): Promise<Outcome> {
    const outcome = Promise.withResolvers<Outcome>();
    this.#socket.send(JSON.stringify(statements));
    this.#waiting.push(outcome);
    return outcome.promise;
  }
}

/** Converts a value as D1 does, which sends it as JSON. */
function bindable(value: unknown): unknown {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return Number(value);
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)];
  if (ArrayBuffer.isView(value)) return [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${value as string}'`);
}
