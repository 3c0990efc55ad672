import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCursor } from "#client-api/search/cursor.ts";
import { parseRequest } from "#client-api/search/request.ts";
import { Keyring } from "#crypto/keyring.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { SHARD_COUNTS } from "#documents/sharding/layout.ts";
import { continuedFrom } from "#documents/sharding/merge.ts";
import { nextAddressOf } from "#search-page/asked.ts";
import { runs } from "../../support/properties.ts";
import { asked, name, namedDocument, namedQuery, namedWorld, requestOf, world } from "../../support/search-worlds.ts";
import { askedOfWorlds, expectPromised } from "../promises.ts";
import { aDocument, DATASOURCE, searchOf, seerOf, TINY_LIMITS } from "../world.ts";
import { INSTANCE, LocalShards } from "./objects.ts";
import { ShardedWorld } from "./sharded-world.ts";

const SHARDS = 4;
const SEER = { email: "ada@acme.example", directoryGroups: [] };

const plain = {
  tag: null,
  type: "Page",
  author: null,
  updatedDay: null,
  values: null,
  users: [],
  groups: [],
  intersections: [],
} as const;

/** Permissions for nobody who searches. */
const hidden = { users: ["zoe@acme.example"], groups: [], intersections: [], everyone: false } as const;

describe.each([
  ["all at once", undefined],
  ["step by step", TINY_LIMITS],
])("search in four shards against a plain evaluation of what it promises, %s", (_how, limits) => {
  it("finds first all that has every word, then what has some, and nothing that the person may not see", async () => {
    const whole = fc.record({ model: world, isMapped: fc.boolean(), asked: askedOfWorlds(20) });
    await fc.assert(
      fc.asyncProperty(whole, async ({ model, isMapped, asked: searches }) => {
        const written = ShardedWorld.of(model, SHARDS, limits);
        if (isMapped) written.mapCommonWords();
        await expectPromised(model, written, searches, limits === undefined);
        written.close();
      }),
      { numRuns: runs(2), endOnFailure: true },
    );
  });
});

describe.each([
  ["few documents", FIND_LIMITS],
  ["many documents", { ...FIND_LIMITS, narrow: 0 }],
])("documents in any shard that somebody who sees %s may not see", (_who, limits) => {
  it("change nothing about what they find: order, excerpts, facets, pages or missing words", async () => {
    const both = fc.record({
      model: namedWorld,
      others: fc.array(namedDocument, { minLength: 1, maxLength: 16 }),
      searches: fc.array(asked, { minLength: 16, maxLength: 16 }),
      named: fc.array(fc.record({ name, query: namedQuery }), { minLength: 12, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(both, async ({ model, others, searches, named }) => {
        const alone = ShardedWorld.of(model, SHARDS, limits);
        const among = new ShardedWorld(SHARDS, model, limits);
        for (const [at, other] of others.entries()) among.put(`hidden${at}`, { ...other, ...hidden });
        for (const [id, one] of model.documents.entries()) among.put(String(id), one);
        const requests = [
          ...searches.map((one) => ({
            who: one.name,
            body: { ...requestOf(one, DATASOURCE), pageSize: one.pageSize },
          })),
          ...named.map(({ name: who, query }) => ({ who, body: { query, pageSize: 3 } })),
        ];
        for (const { who, body } of requests) {
          const shown = async (of: ShardedWorld) => {
            const { next, ...page } = await of.page(seerOf(who), body, { facetBuckets: 10 });
            // The turn of the placement comes before the position.
            const { statistics } = continuedFrom(next && next.slice(next.indexOf(" ") + 1), SHARDS) ?? {};
            return { ...page, cursor: next?.length, statistics, all: await of.all(seerOf(who), body) };
          };
          expect([body, who, await shown(among)]).toEqual([body, who, await shown(alone)]);
        }
        for (const each of [alone, among]) each.close();
      }),
      { numRuns: runs(1), endOnFailure: true },
    );
  });
});

describe("cursors", () => {
  it("keep to what was decided for the first page, if a shard gets a name that was searched for by its parts", async () => {
    const written = new ShardedWorld(SHARDS, { described: [], memberships: [] });
    const page = { ...plain, title: ["page"], body: ["plan budget"], everyone: true };
    const ids = Array.from({ length: 16 }, (_, at) => String(at));
    for (const id of ids) written.put(id, page);
    const search = { query: "plan_budget ", pageSize: 1 };
    const first = await written.page(SEER, search);
    for (const id of ids)
      written.put(id, Number(id) % 3 === 0 ? { ...page, body: ["plan budget", "planBudget"] } : page);
    const found = first.documents.map(({ externalId }) => externalId);
    for (let position = first.next; position !== null; ) {
      const { documents, next } = await written.page(SEER, search, { position });
      found.push(...documents.map(({ externalId }) => externalId));
      position = next;
    }
    expect(found.sort()).toEqual(ids.sort());
    written.close();
  });

  it("are accepted as they were returned, whatever the number of shards", async () => {
    const keyring = new Keyring(`k1:${"A".repeat(43)}`);
    for (const count of [2, Math.max(...SHARD_COUNTS)]) {
      const shards = new LocalShards(count, { clock: () => 0 });
      const principals = [{ kind: "everyone", datasource: "", name: "" } as const];
      await shards.documents.apply(
        INSTANCE,
        Array.from({ length: count * 8 }, (_, at) => ({
          act: "put",
          document: aDocument(String(at), { body: "the harbour", principals }),
        })),
      );
      const { next } = await shards.documents.find(INSTANCE, searchOf({ query: "harbouk", pageSize: 2 }), SEER);
      const cursor = await toCursor(keyring, "a search", next ?? "");
      expect([count, parseRequest({ query: "harbouk", cursor }).cursor]).toEqual([count, cursor]);
      expect([
        count,
        nextAddressOf({ query: "harbouk", filters: [], since: undefined, like: undefined, cursors: [] }, cursor),
      ]).toEqual([count, expect.any(String)]);
      shards.close();
    }
  });
});
