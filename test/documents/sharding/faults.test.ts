import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Place, ShardPage } from "#documents/sharding/shard-page.ts";
import { describeError } from "#platform/log.ts";
import { runs } from "../../support/properties.ts";
import { aDocument, DATASOURCE, searchOf } from "../world.ts";
import { ask, Comparison } from "./comparing.ts";
import { CLEAN_UP, histories, REQUESTS } from "./histories.ts";
import { INSTANCE, LocalShards } from "./objects.ts";

const EVERYONE = { kind: "everyone", datasource: "", name: "" } as const;
const SEER = { email: "ada@acme.example", directoryGroups: [] };

describe("shards that fail", () => {
  it("lose and double nothing if a call is killed before or after any shard's part, and pipelines repeat it", async () => {
    let killed = 0;
    await fc.assert(
      fc.asyncProperty(histories(60, 100), fc.infiniteStream(fc.nat(25)), async (history, pauses) => {
        let now = 1000;
        let next = Infinity;
        const meet = () => {
          if (next-- > 0) return;
          next = Number(pauses.next().value);
          killed += 1;
          throw new Error("killed");
        };
        const several = new LocalShards(4, { clock: () => now, meet, pace: { work: 1, milliseconds: 10_000 } });
        const one = new LocalShards(1, { clock: () => now });
        for (const [kind, number] of history) {
          now += 10;
          const request = REQUESTS[kind]?.(number);
          if (kind === CLEAN_UP || !request) {
            for (const object of several.objects) object.upkeep();
            continue;
          }
          next = Number(pauses.next().value);
          for (let left = 200; ; left--) {
            try {
              await ask(several.documents, request);
              break;
            } catch (error) {
              if (left === 0 || !describeError(error).includes("killed")) throw error;
            }
          }
          next = Infinity;
          await ask(one.documents, request);
        }
        for (let lap = 0; lap < 3; lap++) for (const each of [one, several]) await each.cleanUp();
        await new Comparison(one.documents, several.documents).compareAll();
        for (const each of [one, several]) each.close();
      }),
      { numRuns: runs(3), endOnFailure: true },
    );
    expect(killed).toBeGreaterThan(10);
  });

  it.each([0, 1, 2, 3])(
    "make searches fail with 503 and a time to try again, never without documents (shard %i)",
    async (away) => {
      let isAway = false;
      const shards = new LocalShards(4, { clock: () => 0 });
      const calls = shards.objects[away]?.calls as { findInShard: unknown; rightsOf: unknown };
      for (const name of ["findInShard", "rightsOf"] as const) {
        const call = calls[name] as (...given: unknown[]) => Promise<unknown>;
        calls[name] = async (...given: unknown[]) => {
          if (isAway) throw new Error("Network connection lost.");
          return call(...given);
        };
      }
      const { documents } = shards;
      const puts = Array.from({ length: 12 }, (_, at) =>
        aDocument(String(at), { body: "tide", principals: [EVERYONE] }),
      );
      await documents.apply(
        INSTANCE,
        puts.map((document) => ({ act: "put", document })),
      );
      const found = () => documents.find(INSTANCE, searchOf({ query: "tide", pageSize: 20 }), SEER);
      expect((await found()).documents).toHaveLength(12);
      isAway = true;
      await expect(found()).rejects.toMatchObject({ code: "search_unavailable", retryAfterSeconds: 5 });
      isAway = false;
      expect((await found()).documents).toHaveLength(12);
      shards.close();
    },
  );

  it("ranked by different rules give their documents in turn, each in its own order", async () => {
    const shards = new LocalShards(2, { clock: () => 0 });
    const puts = Array.from({ length: 24 }, (_, at) =>
      aDocument(String(at), { body: `${"tide ".repeat(at + 1)} harbour`, principals: [EVERYONE] }),
    );
    await shards.documents.apply(
      INSTANCE,
      puts.map((document) => ({ act: "put", document })),
    );
    const own = async (shard: number) =>
      (
        await shards.objects[shard]!.calls.findInShard(searchOf({ query: "tide", pageSize: 30 }), SEER, null)
      ).documents.map(({ externalId }) => externalId);
    const [first, second] = [await own(0), await own(1)];
    const calls = shards.objects[1]!.calls as { findInShard: unknown };
    const findInShard = calls.findInShard as (...given: unknown[]) => Promise<ShardPage>;
    // Whatever another release means by tiers, and whether or not it knows titles.
    const otherwise = ({ isTitled: _isTitled, ...place }: Place) => ({ ...place, tier: place.tier + 7 });
    calls.findInShard = async (...given: unknown[]) => {
      const found = await findInShard(...given);
      return { ...found, places: found.places.map(otherwise), ranking: 99 };
    };
    const page = await shards.documents.find(INSTANCE, searchOf({ query: "tide", pageSize: 30 }), SEER);
    const ids = page.documents.map(({ externalId }) => externalId);
    expect(ids.filter((id) => first.includes(id))).toEqual(first);
    expect(ids.filter((id) => second.includes(id))).toEqual(second);
    const most = Math.min(first.length, second.length);
    expect(most).toBeGreaterThan(3);
    expect(ids.slice(0, 2 * most)).toEqual(Array.from({ length: most }, (_, at) => [first[at], second[at]]).flat());
    expect(DATASOURCE).toBe(page.documents[0]?.datasource);
    shards.close();
  });
});
