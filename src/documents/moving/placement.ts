import { SHARD_COUNTS } from "#documents/sharding/layout.ts";
import { BoundedMap } from "#platform/bounded-map.ts";

/** What keeps an instance's documents: its own object, or a number of objects. */
export type EngineName = "object" | `shards:${number}`;

/** Where an instance's documents are. */
export interface Placement {
  readonly engine: EngineName;
  /** The turn of the move that brought them there; 0: they never moved. An engine's numbers are valid for one turn. */
  readonly turn: number;
}

export interface PlacementReader {
  placementOf(instanceId: number): Promise<Placement>;
}

/** Parses an engine's name. @returns `undefined` if it names no engine */
export function parseEngineName(text: string): EngineName | undefined {
  return ENGINE_NAMES.find((name) => name === text);
}

/** All engines, from one object to the most. */
export const ENGINE_NAMES: readonly EngineName[] = [
  "object",
  ...SHARD_COUNTS.map((shards): EngineName => `shards:${shards}`),
];

/** Returns how many objects an engine has. */
export function shardsOf(name: EngineName): number {
  return name === "object" ? 1 : Number(name.slice("shards:".length));
}

/** The most instances whose placement an isolate remembers. */
const PLACEMENTS_MAX = 1000;

/**
 * The placements that this isolate knows. Policy snapshots bring them, so requests don't read them. One may be out of date: the engine
 * that the documents left then refuses, and the placement is read again.
 */
export class Placements {
  readonly #reader: PlacementReader;
  readonly #known = new BoundedMap<number, Placement>(PLACEMENTS_MAX);

  constructor(reader: PlacementReader) {
    this.#reader = reader;
  }

  note(instanceId: number, placement: Placement): void {
    if (this.#known.get(instanceId) !== placement) this.#known.set(instanceId, placement);
  }

  async of(instanceId: number): Promise<Placement> {
    return this.#known.get(instanceId) ?? this.reread(instanceId);
  }

  async reread(instanceId: number): Promise<Placement> {
    const placement = await this.#reader.placementOf(instanceId);
    this.#known.set(instanceId, placement);
    return placement;
  }
}
