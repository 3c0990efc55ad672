import type { EngineCalls } from "#documents/documents.ts";
import { objectName } from "#documents/sharding/layout.ts";
import type { ShardObject, ShardOf } from "#documents/sharding/shard.ts";
import { ShardedDocuments } from "#documents/sharding/sharded-documents.ts";
import { ShardedTransfer } from "#documents/sharding/sharded-transfer.ts";
import { ENGINE_NAMES, type EngineName, shardsOf } from "./placement.ts";
import type { EngineTransfer } from "./transfer.ts";

/** All calls of an engine of many instances. */
interface Engine {
  readonly calls: EngineCalls;
  readonly transfer: EngineTransfer;
}

/** The engines by name. */
export class Engines {
  readonly #objects: DurableObjectNamespace;
  readonly #known = new Map<EngineName, Engine>();

  constructor(objects: DurableObjectNamespace) {
    this.#objects = objects;
  }

  /** Returns an engine's calls. */
  require(name: EngineName): EngineCalls {
    return this.#engine(name).calls;
  }

  /** Returns an engine's part in moves. */
  transferOf(name: EngineName): EngineTransfer {
    return this.#engine(name).transfer;
  }

  names(): readonly EngineName[] {
    return ENGINE_NAMES;
  }

  #engine(name: EngineName): Engine {
    const known = this.#known.get(name);
    if (known) return known;
    const engine = this.#make(shardsOf(name));
    this.#known.set(name, engine);
    return engine;
  }

  #make(shards: number): Engine {
    const shardOf: ShardOf = (instanceId, shard) =>
      // The first call to an object creates it.
      this.#objects.getByName(objectName({ instanceId, shards, shard })) as unknown as ShardObject;
    if (shards > 1) {
      return { calls: new ShardedDocuments(shards, shardOf), transfer: new ShardedTransfer(shards, shardOf) };
    }
    const alone = asEngine((instanceId) => shardOf(instanceId, 0));
    return { calls: alone, transfer: alone };
  }
}

/** Returns the calls of instances' single objects in the form of an engine of many instances. */
export function asEngine(objectOf: (instanceId: number) => ShardObject): EngineCalls & EngineTransfer {
  const get =
    (_target: object, call: keyof ShardObject) =>
    (instanceId: number, ...given: unknown[]) =>
      (objectOf(instanceId)[call] as (...all: unknown[]) => unknown)(...given);
  return new Proxy({}, { get }) as EngineCalls & EngineTransfer;
}
