import type { EngineCalls, ObjectCalls } from "#documents/documents.ts";
import { type EngineName, parseEngineName } from "./placement.ts";
import type { EngineTransfer } from "./transfer.ts";

/** Everything that an engine of many instances is asked. */
export type Engine = EngineCalls & EngineTransfer;

/** The engines that this deployment is bound to, by name. */
export class Engines {
  readonly #objects: DurableObjectNamespace;
  readonly #bindings: Readonly<Record<string, unknown>>;

  /** @param bindings all of the Worker: a service of another engine is one of them */
  constructor(objects: DurableObjectNamespace, bindings: object) {
    this.#objects = objects;
    this.#bindings = bindings as Readonly<Record<string, unknown>>;
  }

  /** @throws where there is no such binding */
  require(name: EngineName): Engine {
    if (name === "object") return this.#object;
    const engine = this.#bindings[name.slice("postgres:".length)] as Engine | undefined;
    if (engine) return engine;
    throw new Error(`this deployment has no binding for ${name}`);
  }

  /** {@link require}, as moves need it. */
  transferOf(name: EngineName): EngineTransfer {
    return this.require(name);
  }

  names(): EngineName[] {
    const others = Object.keys(this.#bindings).map((binding) => parseEngineName(`postgres:${binding}`));
    return ["object", ...others.filter((name) => name !== undefined)];
  }

  /** Each instance's object, made by name at the first call, as an engine of many instances. */
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
