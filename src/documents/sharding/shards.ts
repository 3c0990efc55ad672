import { shardOf } from "./layout.ts";
import type { ShardObject, ShardOf } from "./shard.ts";

/** The objects of instances whose documents are in several. */
export class Shards {
  /** How many there are, for each instance. */
  readonly count: number;
  readonly #objectOf: ShardOf;

  constructor(count: number, objectOf: ShardOf) {
    this.count = count;
    this.#objectOf = objectOf;
  }

  at(instanceId: number, shard: number): ShardObject {
    return this.#objectOf(instanceId, shard);
  }

  /** Returns the object with what isn't split. */
  first(instanceId: number): ShardObject {
    return this.at(instanceId, 0);
  }

  /** Returns the object with the documents that have an id. */
  having(instanceId: number, externalId: string): ShardObject {
    return this.at(instanceId, this.placeOf(externalId));
  }

  /** Returns the shard of the documents with an id. */
  placeOf(externalId: string): number {
    return shardOf(externalId, this.count);
  }

  /** Calls all shards at once. @returns their answers, by shard */
  each<Result>(
    instanceId: number,
    act: (object: ShardObject, shard: number) => Result | Promise<Result>,
  ): Promise<Awaited<Result>[]> {
    return Promise.all(Array.from({ length: this.count }, (_, shard) => act(this.at(instanceId, shard), shard)));
  }
}
