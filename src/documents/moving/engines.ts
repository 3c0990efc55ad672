import type { ObjectCalls } from "#documents/documents.ts";
import { isWhere, objectIn, type ObjectNamespace, SHARD_COUNTS, type Where } from "#documents/sharding/layout.ts";
import { KnownRights } from "#documents/sharding/person-rights.ts";
import type { ShardObject } from "#documents/sharding/shard.ts";
import { ShardedDocuments } from "#documents/sharding/sharded-documents.ts";
import { ShardedTransfer } from "#documents/sharding/sharded-transfer.ts";
import { Shards } from "#documents/sharding/shards.ts";
import type { EngineTransfer } from "./transfer.ts";
import { BoundedMap } from "#platform/bounded-map.ts";

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

type EngineShape = "object" | `shards:${number}`;

/** What keeps an instance's documents: one object, or several, and where these are if that was chosen. */
export type EngineName = EngineShape | `${EngineShape}@${Where}`;

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
  const [, where] = text.split("@");
  if (where !== undefined && !isWhere(where)) return undefined;
  return enginesIn(where ?? null).find((name) => name === text);
}

/** Returns all engines in one place, from one object to the most. */
export function enginesIn(where: Where | null): readonly EngineName[] {
  return [1, ...SHARD_COUNTS].map((shards): EngineName => {
    const shape: EngineShape = shards === 1 ? "object" : `shards:${shards}`;
    return where === null ? shape : `${shape}@${where}`;
  });
}

/** Returns how many objects an engine has. */
export function shardsOf(name: EngineName): number {
  return name.startsWith("object") ? 1 : Number.parseInt(name.slice("shards:".length), 10);
}

/** Returns where an engine's objects are; `null`: it wasn't chosen. */
export function whereOf(name: EngineName): Where | null {
  const [, where = ""] = name.split("@");
  return isWhere(where) ? where : null;
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
