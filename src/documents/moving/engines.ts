import type { ObjectCalls } from "#documents/documents.ts";
import { objectIn, type ObjectNamespace } from "#documents/sharding/layout.ts";
import { KnownRights } from "#documents/sharding/person-rights.ts";
import type { ShardObject } from "#documents/sharding/shard.ts";
import { ShardedDocuments } from "#documents/sharding/sharded-documents.ts";
import { ShardedTransfer } from "#documents/sharding/sharded-transfer.ts";
import { Shards } from "#documents/sharding/shards.ts";
import { type EngineName, enginesIn, shardsOf, whereOf } from "./placement.ts";
import type { EngineTransfer } from "./transfer.ts";

/** The engines of instances, by name. */
export class Engines {
  readonly #objects: ObjectNamespace;
  readonly #areUnrestricted: boolean;
  readonly #rights = new KnownRights();

  /** @param areUnrestricted whether jurisdictions are ignored, because the local runtime has none */
  constructor(objects: ObjectNamespace, areUnrestricted = false) {
    this.#objects = objects;
    this.#areUnrestricted = areUnrestricted;
  }

  /** Returns the calls about an instance's documents in an engine. */
  callsOf(name: EngineName, instanceId: number): ObjectCalls {
    const shards = this.#shardsOf(name, instanceId);
    return shards.count === 1 ? shards.first() : new ShardedDocuments(shards, this.#rights, instanceId);
  }

  /** Returns an engine's part in moves of an instance. */
  transferOf(name: EngineName, instanceId: number): EngineTransfer {
    const shards = this.#shardsOf(name, instanceId);
    return shards.count === 1 ? shards.first() : new ShardedTransfer(shards);
  }

  /** Returns the engines to which documents can move without leaving the place where an engine is. */
  names(like: EngineName): readonly EngineName[] {
    return enginesIn(whereOf(like));
  }

  #shardsOf(name: EngineName, instanceId: number): Shards {
    const shards = shardsOf(name);
    const part = { instanceId, shards, where: whereOf(name) };
    return new Shards(
      shards,
      (shard) => objectIn(this.#objects, { ...part, shard }, this.#areUnrestricted) as ShardObject,
    );
  }
}
