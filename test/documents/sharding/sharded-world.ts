import type { FoundPage, Seer } from "#documents/engine.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import { shardOf } from "#documents/sharding/layout.ts";
import type { ModelDocument, ModelWorld } from "../../support/search-model.ts";
import { searchOf, World } from "../world.ts";
import { INSTANCE, LocalShards } from "./objects.ts";

/** A model's documents in several shards, and its groups and memberships in the first. */
export class ShardedWorld {
  readonly shards: LocalShards;
  readonly #worlds: readonly World[];

  constructor(shards: number, { described, memberships }: Omit<ModelWorld, "documents">, limits?: FindLimits) {
    this.shards = new LocalShards(shards, { clock: () => 0, ...(limits && { limits }) });
    this.#worlds = this.shards.objects.map(({ store }) => new World(limits, store));
    this.#worlds[0]?.describe({ described, memberships });
  }

  static of(model: ModelWorld, shards: number, limits?: FindLimits): ShardedWorld {
    const world = new ShardedWorld(shards, model, limits);
    for (const [id, document] of model.documents.entries()) world.put(String(id), document);
    return world;
  }

  put(externalId: string, model: ModelDocument): void {
    const { store } = this.#worldOf(externalId);
    store.transaction(() => this.#worldOf(externalId).put(externalId, model));
  }

  mapCommonWords(): this {
    for (const world of this.#worlds) world.mapCommonWords();
    return this;
  }

  page(
    seer: Seer,
    body: Readonly<Record<string, unknown>>,
    more: Parameters<typeof searchOf>[1] = {},
  ): Promise<FoundPage> {
    return this.shards.documents.find(INSTANCE, searchOf(body, more), seer);
  }

  /** Returns the ids of all pages. @throws if a document comes twice */
  async all(seer: Seer, body: Readonly<Record<string, unknown>>): Promise<string[]> {
    const ids: string[] = [];
    for (let position: string | null = null; ; ) {
      const { documents, next }: FoundPage = await this.page(seer, body, { position });
      ids.push(...documents.map(({ externalId }) => externalId));
      if (next === null) break;
      position = next;
    }
    if (new Set(ids).size !== ids.length) throw new Error(`found twice: ${ids.join(" ")}`);
    return ids;
  }

  close(): void {
    this.shards.close();
  }

  #worldOf(externalId: string): World {
    return this.#worlds[shardOf(externalId, this.#worlds.length)] as World;
  }
}
