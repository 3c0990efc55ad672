import type { Bindings } from "#platform/bindings.ts";
import { env } from "./isolate.ts";
import { send } from "./world.ts";

/** What a request cost in D1, by what D1 itself says of each statement. */
export interface StorageCost {
  statements: number;
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
  /** Of an instance's documents. */
  calls: number;
}

/** What each statement of a batch stands for, behind the wrapper that counts. */
const genuine = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

/** Another isolate of the Worker on the same storage, which counts what each of its requests costs there. */
export class MeasuredIsolate {
  readonly bindings: Bindings;
  #cost = nothing();

  constructor() {
    const database: Pick<D1Database, "prepare" | "batch"> = {
      prepare: (sql) => this.#counted(env.DB.prepare(sql)),
      batch: async <Row>(statements: D1PreparedStatement[]) => {
        const results = await env.DB.batch<Row>(statements.map((statement) => genuine.get(statement) ?? statement));
        this.#count(results);
        return results;
      },
    };
    const objects: Pick<DurableObjectNamespace, "getByName"> = {
      getByName: (name) =>
        new Proxy(env.DOCUMENTS.getByName(name), {
          get: (object, call) => {
            this.#cost.calls += 1;
            return object[call as keyof typeof object] as unknown;
          },
        }),
    };
    this.bindings = { ...env, DB: database as D1Database, DOCUMENTS: objects as DurableObjectNamespace };
  }

  send(url: string, init: RequestInit = {}): Promise<Response> {
    return send(url, init, this.bindings);
  }

  /** What an act costs, with all that the Worker does for it after its answers. */
  async costOf(act: () => Promise<unknown>): Promise<StorageCost> {
    const cost = nothing();
    this.#cost = cost;
    await act();
    this.#cost = nothing();
    return cost;
  }

  #counted(statement: D1PreparedStatement): D1PreparedStatement {
    const run = async <Row>() => {
      const result = await statement.all<Row>();
      this.#count([result]);
      return result;
    };
    const counted: Pick<D1PreparedStatement, "bind" | "first" | "all" | "run"> = {
      bind: (...values) => this.#counted(statement.bind(...values)),
      // `first` keeps what D1 says of the statement to itself; asked for all rows, D1 does the same work and tells.
      first: async <Row>() => (await run<Row>()).results[0] ?? null,
      all: run,
      run,
    };
    genuine.set(counted as D1PreparedStatement, statement);
    return counted as D1PreparedStatement;
  }

  #count(results: readonly D1Result[]): void {
    this.#cost.roundTrips += 1;
    for (const { meta } of results) {
      this.#cost.statements += 1;
      this.#cost.rowsRead += meta.rows_read;
      this.#cost.rowsWritten += meta.rows_written;
    }
  }
}

function nothing(): StorageCost {
  return { statements: 0, roundTrips: 0, rowsRead: 0, rowsWritten: 0, calls: 0 };
}
