import type { Bindings } from "#platform/bindings.ts";
import { countedDatabase, noCost, type StatementCost } from "./counted-database.ts";
import { env } from "./isolate.ts";
import { send } from "./world.ts";

/** The cost of a request in D1, and the number of its calls of an instance's documents. */
export interface StorageCost extends StatementCost {
  calls: number;
}

/** Another isolate of the Worker on the same storage, which counts what its requests cost there. */
export class MeasuredIsolate {
  readonly bindings: Bindings;
  #cost = nothing();

  constructor() {
    const database = countedDatabase(
      () => env.DB,
      () => this.#cost,
    );
    const objects: Pick<DurableObjectNamespace, "getByName"> = {
      getByName: (name) =>
        new Proxy(env.DOCUMENTS.getByName(name), {
          get: (object, call) => {
            this.#cost.calls += 1;
            return object[call as keyof typeof object] as unknown;
          },
        }),
    };
    this.bindings = { ...env, DB: database, DOCUMENTS: objects as DurableObjectNamespace };
  }

  send(url: string, init: RequestInit = {}): Promise<Response> {
    return send(url, init, this.bindings);
  }

  /** Returns the cost of an act, including the Worker's work after its responses. */
  async costOf(act: () => Promise<unknown>): Promise<StorageCost> {
    const cost = nothing();
    this.#cost = cost;
    await act();
    this.#cost = nothing();
    return cost;
  }
}

function nothing(): StorageCost {
  return { ...noCost(), calls: 0 };
}
