import type { Bindings } from "#platform/bindings.ts";
import { countedDatabase, noCost, type StatementCost } from "./counted-database.ts";
import { env } from "./isolate.ts";
import { send } from "./world.ts";

/** The cost of a request in D1, and the number of its calls of an instance's documents. */
export interface StorageCost extends StatementCost {
  calls: number;
  /** How many calls of D1, KV and the documents the response waited for, one after another. */
  inSequence: number;
}

/** Another isolate of the Worker on the same storage, which counts what its requests cost there. */
export class MeasuredIsolate {
  readonly bindings: Bindings;
  #cost = nothing();
  /** The longest chain of calls that have returned, each of which began after the one before it had returned. */
  #returned = 0;

  constructor() {
    const database = countedDatabase(
      () => env.DB,
      () => this.#cost,
      (call) => this.#make(call),
    );
    const cache: Pick<KVNamespace, "get" | "put"> = {
      get: ((key: string, type: "json") => this.#make(() => env.CACHE.get(key, type))) as KVNamespace["get"],
      put: (key, value, options) => this.#make(() => env.CACHE.put(key, value, options)),
    };
    const objects: Pick<DurableObjectNamespace, "getByName"> = {
      getByName: (name) =>
        new Proxy(env.DOCUMENTS.getByName(name), {
          get: (object, call) => {
            this.#cost.calls += 1;
            const methods = object as unknown as Record<string | symbol, (...given: unknown[]) => Promise<unknown>>;
            return (...given: unknown[]) => this.#make(async () => methods[call]?.(...given));
          },
        }),
    };
    this.bindings = {
      ...env,
      DB: database,
      CACHE: cache as KVNamespace,
      DOCUMENTS: objects as DurableObjectNamespace,
    };
  }

  send(url: string, init: RequestInit = {}): Promise<Response> {
    return send(url, init, this.bindings, () => (this.#cost.inSequence = this.#returned));
  }

  /** Returns the cost of an act, including the Worker's work after its responses. */
  async costOf(act: () => Promise<unknown>): Promise<StorageCost> {
    const cost = nothing();
    this.#cost = cost;
    this.#returned = 0;
    await act();
    if (Number.isNaN(cost.inSequence)) cost.inSequence = this.#returned;
    this.#cost = nothing();
    return cost;
  }

  /** Makes a call. It returns only when everything has begun that doesn't wait for it. */
  async #make<Result>(call: () => Promise<Result>): Promise<Result> {
    const inSequence = this.#returned + 1;
    try {
      return await call();
    } finally {
      await scheduler.wait(1);
      this.#returned = Math.max(this.#returned, inSequence);
    }
  }
}

function nothing(): StorageCost {
  return { ...noCost(), calls: 0, inSequence: NaN };
}
