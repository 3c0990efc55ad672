import type { Bindings } from "#platform/bindings.ts";
import { countedDatabase, noCost, type StatementCost } from "./counted-database.ts";
import { env } from "./isolate.ts";
import { send } from "./world.ts";

/** What a request cost in D1, and how often it called an instance's documents. */
export interface StorageCost extends StatementCost {
  calls: number;
}

/** Another isolate of the Worker on the same storage, which counts what each of its requests costs there. */
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

  /** What an act costs, with all that the Worker does for it after its answers. */
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
