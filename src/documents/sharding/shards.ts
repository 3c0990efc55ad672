import { shardOf } from "./layout.ts";
import type { ShardObject } from "./shard.ts";

/** The objects of one instance whose documents are in several. */
export class Shards {
  readonly count: number;
  readonly #objectOf: (shard: number) => ShardObject;

  constructor(count: number, objectOf: (shard: number) => ShardObject) {
    this.count = count;
    this.#objectOf = objectOf;
  }

  at(shard: number): ShardObject {
    return this.#objectOf(shard);
  }

  /** Returns the object with what isn't split. */
  first(): ShardObject {
    return this.at(0);
  }

  /** Returns the object with the documents that have an id. */
  having(externalId: string): ShardObject {
    return this.at(this.placeOf(externalId));
  }

  /** Returns the shard of the documents with an id. */
  placeOf(externalId: string): number {
    return shardOf(externalId, this.count);
  }

  /** Calls all shards at once. @returns their answers, by shard */
  each<Result>(act: (object: ShardObject, shard: number) => Result | Promise<Result>): Promise<Awaited<Result>[]> {
    return Promise.all(Array.from({ length: this.count }, (_, shard) => act(this.at(shard), shard)));
  }
}
