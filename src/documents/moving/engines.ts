import type { EngineCalls } from "#documents/documents.ts";
import { objectName, SHARD_COUNTS } from "#documents/sharding/layout.ts";
import type { ShardObject, ShardOf } from "#documents/sharding/shard.ts";
import { ShardedDocuments } from "#documents/sharding/sharded-documents.ts";
import { ShardedTransfer } from "#documents/sharding/sharded-transfer.ts";
import { type EngineName, parseEngineName, shardsOf } from "./placement.ts";
import type { EngineTransfer } from "./transfer.ts";

/** All calls of an engine of many instances. */
export interface Engine {
  readonly calls: EngineCalls;
  readonly transfer: EngineTransfer;
}

/** The engines that this deployment has bindings for, by name. */
export class Engines {
  readonly #objects: DurableObjectNamespace;
  readonly #bindings: Readonly<Record<string, unknown>>;
  readonly #known = new Map<EngineName, Engine>();

  /** @param bindings all bindings of the Worker, which include the services of other engines */
  constructor(objects: DurableObjectNamespace, bindings: object) {
    this.#objects = objects;
    this.#bindings = bindings as Readonly<Record<string, unknown>>;
  }

  /** Returns an engine. @throws if there is no such binding */
  require(name: EngineName): EngineCalls {
    return this.#engine(name).calls;
  }

  /** Does the same as {@link require}, for moves. */
  transferOf(name: EngineName): EngineTransfer {
    return this.#engine(name).transfer;
  }

  names(): EngineName[] {
    const others = Object.keys(this.#bindings).map((binding) => parseEngineName(`postgres:${binding}`));
    const shards = SHARD_COUNTS.map((count): EngineName => `shards:${count}`);
    return ["object", ...shards, ...others.filter((name) => name !== undefined)];
  }

  #engine(name: EngineName): Engine {
    const known = this.#known.get(name);
    if (known) return known;
    const engine = this.#make(name);
    this.#known.set(name, engine);
    return engine;
  }

  #make(name: EngineName): Engine {
    const shards = shardsOf(name);
    if (shards !== undefined) {
      const object: ShardOf = (instanceId, shard) => this.#object(objectName({ instanceId, shards, shard }));
      return { calls: new ShardedDocuments(shards, object), transfer: new ShardedTransfer(shards, object) };
    }
    const engine =
      name === "object"
        ? this.#oneObject()
        : (this.#bindings[name.slice("postgres:".length)] as (EngineCalls & EngineTransfer) | undefined);
    if (!engine) throw new Error(`this deployment has no binding for ${name}`);
    return { calls: engine, transfer: engine };
  }

  /** Returns an object by its name. The first call creates it. */
  #object(name: string): ShardObject {
    return this.#objects.getByName(name) as unknown as ShardObject;
  }

  /** All instances' objects, in the form of an engine of many instances. */
  #oneObject(): EngineCalls & EngineTransfer {
    const calls = {
      get:
        (_target: object, call: keyof ShardObject) =>
        (instanceId: number, ...given: unknown[]) => {
          const object = this.#object(objectName({ instanceId, shards: 1, shard: 0 }));
          return (object[call] as (...given: unknown[]) => unknown)(...given);
        },
    };
    return new Proxy({}, calls) as EngineCalls & EngineTransfer;
  }
}
