import { describe, expect, it } from "vitest";
import { Engines, enginesIn, parseEngineName, shardsOf, whereOf } from "#documents/moving/engines.ts";
import { objectName, type ObjectNamespace, partOf, SHARD_COUNTS, shardOf } from "#documents/sharding/layout.ts";

describe("the shard of a document", () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => [`${at}`, `page-${at}`, `https://wiki.example/${at}`]).flat();

  it("has about as many documents as any other, whatever ids look like", () => {
    for (const shards of SHARD_COUNTS) {
      const counts = Array.from({ length: shards }, () => 0);
      for (const id of ids) counts[shardOf(id, shards)]! += 1;
      const fair = ids.length / shards;
      expect([shards, Math.min(...counts) > fair * 0.85, Math.max(...counts) < fair * 1.15]).toEqual([
        shards,
        true,
        true,
      ]);
    }
  });

  it("is one of the two into which its shard is split when their number doubles", () => {
    for (const id of ids.slice(0, 2000)) {
      for (const shards of SHARD_COUNTS.slice(0, -1))
        expect(shardOf(id, shards * 2) % shards).toBe(shardOf(id, shards));
    }
  });
});

describe("the objects of an instance", () => {
  /** The objects that an engine asks, by the calls that lead to them. */
  async function asked(engine: string, areUnrestricted = false): Promise<string[]> {
    const named: string[] = [];
    const namespace = (prefix: string) => ({
      getByName(name: string, options?: { locationHint?: string }) {
        named.push(`${prefix}${name}${options?.locationHint === undefined ? "" : ` near ${options.locationHint}`}`);
        return { count: async () => 1, transferState: async () => ({ turn: 1, isEmpty: false, pages: 0, next: null }) };
      },
      jurisdiction: (jurisdiction: string) => namespace(`${jurisdiction}: `),
    });
    const name = parseEngineName(engine);
    if (name === undefined) throw new Error(`there is no engine ${engine}`);
    const engines = new Engines(namespace("") as unknown as ObjectNamespace, areUnrestricted);
    expect(await engines.callsOf(name, 7).count("wiki")).toBe(shardsOf(name));
    return named;
  }

  it("have the instance's id as name, or their place among several", async () => {
    expect(await asked("object")).toEqual(["7"]);
    expect(await asked("shards:4")).toEqual(["7/4/0", "7/4/1", "7/4/2", "7/4/3"]);
  });

  it("are reached only through the namespace of their jurisdiction, all of them", async () => {
    expect(await asked("object@eu")).toEqual(["eu: 7@eu"]);
    expect(await asked("shards:2@fedramp")).toEqual(["fedramp: 7@fedramp/2/0", "fedramp: 7@fedramp/2/1"]);
  });

  it("ignore jurisdictions in local development, which has none, but not their names", async () => {
    expect(await asked("shards:2@eu", true)).toEqual(["7@eu/2/0", "7@eu/2/1"]);
  });

  it("are created near the region that was chosen", async () => {
    expect(await asked("object@weur")).toEqual(["7@weur near weur"]);
  });

  it("know their part by their name", () => {
    for (const engine of [null, "eu", "weur"].flatMap((where) => enginesIn(where as "eu"))) {
      const part = { instanceId: 7, shards: shardsOf(engine), shard: shardsOf(engine) - 1, where: whereOf(engine) };
      expect(partOf(objectName(part))).toEqual(part);
    }
  });

  it.each(["", "shards:3", "shards:128", "object@mars", "object@", "object@eu@eu", "shards:2@", "toString"])(
    "are none for the name %j",
    (name) => {
      expect(parseEngineName(name)).toBeUndefined();
    },
  );
});
