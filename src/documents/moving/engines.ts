import type { EngineCalls } from "#documents/documents.ts";
import { objectIn, type ObjectNamespace, type Where } from "#documents/sharding/layout.ts";
import type { ShardObject, ShardOf } from "#documents/sharding/shard.ts";
import { ShardedDocuments } from "#documents/sharding/sharded-documents.ts";
import { ShardedTransfer } from "#documents/sharding/sharded-transfer.ts";
import { Shards } from "#documents/sharding/shards.ts";
import { type EngineName, enginesIn, shardsOf, whereOf } from "./placement.ts";
import type { EngineTransfer } from "./transfer.ts";

/** All calls of an engine of many instances. */
interface Engine {
  readonly calls: EngineCalls;
  readonly transfer: EngineTransfer;
}

/** The engines by name. */
export class Engines {
  readonly #objects: ObjectNamespace;
  readonly #areUnrestricted: boolean;
  readonly #known = new Map<EngineName, Engine>();

  /** @param areUnrestricted whether jurisdictions are ignored, because the local runtime has none */
  constructor(objects: ObjectNamespace, areUnrestricted = false) {
    this.#objects = objects;
    this.#areUnrestricted = areUnrestricted;
  }

  /** Returns an engine's calls. */
  require(name: EngineName): EngineCalls {
    return this.#engine(name).calls;
  }

  /** Returns an engine's part in moves. */
  transferOf(name: EngineName): EngineTransfer {
    return this.#engine(name).transfer;
  }

  /** Returns the engines to which documents can move without leaving the place where an engine is. */
  names(like: EngineName): readonly EngineName[] {
    return enginesIn(whereOf(like));
  }

  #engine(name: EngineName): Engine {
    const known = this.#known.get(name);
    if (known) return known;
    const engine = this.#make(shardsOf(name), whereOf(name));
    this.#known.set(name, engine);
    return engine;
  }

  #make(shards: number, where: Where | null): Engine {
    const shardOf: ShardOf = (instanceId, shard) =>
      objectIn(this.#objects, { instanceId, shards, shard, where }, this.#areUnrestricted) as ShardObject;
    if (shards > 1) {
      const all = new Shards(shards, shardOf);
      return { calls: new ShardedDocuments(all), transfer: new ShardedTransfer(all) };
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
