import type { EngineCalls, ObjectCalls } from "#documents/documents.ts";
import { type EngineName, parseEngineName } from "./placement.ts";
import type { EngineTransfer } from "./transfer.ts";

/** All calls of an engine of many instances. */
export type Engine = EngineCalls & EngineTransfer;

/** The engines that this deployment has bindings for, by name. */
export class Engines {
  readonly #objects: DurableObjectNamespace;
  readonly #bindings: Readonly<Record<string, unknown>>;

  /** @param bindings all bindings of the Worker, which include the services of other engines */
  constructor(objects: DurableObjectNamespace, bindings: object) {
    this.#objects = objects;
    this.#bindings = bindings as Readonly<Record<string, unknown>>;
  }

  /** Returns an engine. @throws if there is no such binding */
  require(name: EngineName): Engine {
    if (name === "object") return this.#object;
    const engine = this.#bindings[name.slice("postgres:".length)] as Engine | undefined;
    if (engine) return engine;
    throw new Error(`this deployment has no binding for ${name}`);
  }

  /** Does the same as {@link require}, for moves. */
  transferOf(name: EngineName): EngineTransfer {
    return this.require(name);
  }

  names(): EngineName[] {
    const others = Object.keys(this.#bindings).map((binding) => parseEngineName(`postgres:${binding}`));
    return ["object", ...others.filter((name) => name !== undefined)];
  }

  /** All instances' objects, in the form of an engine of many instances. The first call creates an object by name. */
  get #object(): Engine {
    const calls = {
      get:
        (_target: object, call: keyof ObjectCalls) =>
        (instanceId: number, ...given: unknown[]) => {
          const object = this.#objects.getByName(String(instanceId)) as unknown as Record<
            string,
            (...given: unknown[]) => unknown
          >;
          return object[call]?.(...given);
        },
    };
    return new Proxy({}, calls) as Engine;
  }
}
