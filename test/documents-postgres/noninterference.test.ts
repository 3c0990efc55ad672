import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IndexableDocument } from "#documents/engine.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { aDocument, DATASOURCE, seerOf } from "../documents/world.ts";
import type { ModelDocument } from "../support/search-model.ts";
import { asked, document, requestOf, world } from "../support/search-worlds.ts";
import { PostgresWorld } from "./world.ts";
import { runs } from "../support/properties.ts";

const SEARCHES = 15;

/** Permissions for nobody who searches. */
const hidden = { users: ["zoe@acme.example"], groups: [], intersections: [], everyone: false } as const;

describe.each([
  ["few documents", FIND_LIMITS],
  ["many documents", { ...FIND_LIMITS, narrow: 0, learnt: 30 }],
])("documents that somebody who sees %s may not see", (_who, limits) => {
  it("change nothing about what they find: order, excerpts, facets, pages, cursors or missing words", async () => {
    const both = fc.record({
      model: world,
      others: fc.array(fc.record({ document, at: fc.nat(20) }), { minLength: 4, maxLength: 12 }),
      searches: fc.array(asked, { minLength: SEARCHES, maxLength: SEARCHES }),
    });
    await fc.assert(
      fc.asyncProperty(both, async ({ model, others, searches }) => {
        const alone = await PostgresWorld.of(model, limits);
        const among = await PostgresWorld.of({ ...model, documents: [] }, limits);
        const mixed = [...model.documents.entries()].flatMap(([id, one]): (readonly [string, ModelDocument])[] => [
          ...others.flatMap((other, place) =>
            other.at === id ? [[`hidden${place}`, { ...other.document, ...hidden }] as const] : [],
          ),
          [String(id), one],
        ]);
        await among.put(mixed);
        if (limits.narrow === 0) for (const one of [alone, among]) await one.post();
        for (const one of searches) {
          const body = { ...requestOf(one, DATASOURCE), pageSize: one.pageSize };
          const shown = async (of: PostgresWorld) => {
            const { next, ...page } = await of.page(seerOf(one.name), body, { facetBuckets: 10 });
            return { ...page, cursor: next?.length, all: await of.all(seerOf(one.name), body) };
          };
          const said = await shown(alone);
          expect([body, one.name, await shown(among)]).toEqual([body, one.name, said]);
        }
      }),
      { numRuns: runs(1), endOnFailure: true },
    );
  });

  it("take no place among the completions, whether many documents have a word or only one", async () => {
    const written = await PostgresWorld.begin({ ...limits, completions: 1 });
    const others = Array.from({ length: 24 }, (_, at): [string, ModelDocument] => [
      `hidden${at}`,
      { ...plain, ...hidden, title: [`pla${at % 6}`, `plc${at}`] },
    ]);
    await written.put([...others, ["seen", { ...seen, title: ["planning"] }]]);
    expect(await written.all(seerOf("ben"), { query: "pla" })).toEqual(["seen"]);
    expect(await written.all({ email: "zoe@acme.example", directoryGroups: [] }, { query: "pla" })).toHaveLength(
      limits.narrow === 0 ? 4 : 24,
    );
  });

  it("can't be spelled out by somebody who plants words that start the same", async () => {
    const fewer = { ...limits, completedEntries: 500 };
    for (const planted of [127, 1000]) {
      const found = await amongPlanted(planted, null, fewer);
      expect([planted, await amongPlanted(planted, "plavictim", fewer)]).toEqual([planted, found]);
      expect(found).toEqual(["seen"]);
    }
  });
});

const plain = { body: [], tag: null, type: "Page", author: null, updatedDay: null, values: null } as const;
const seen = { ...plain, ...hidden, users: ["ben@acme.example"] };

it("documents in other datasources can't keep a person from reading a document by its URL", async () => {
  const { engine, instanceId } = await PostgresWorld.begin();
  const url = "https://tickets.acme.example/SEC-7";
  const put = (externalId: string, more: Partial<IndexableDocument> = {}) =>
    ({ act: "put", document: aDocument(externalId, { url, ...more }) }) as const;
  const read = async () => {
    const wanted = { customData: false, content: false, contentBytesMax: 0 };
    return (await engine.read(instanceId, [{ url }], seerOf("ben"), wanted)).map(({ externalId }) => externalId);
  };
  const others = Array.from({ length: 120 }, (_, at) => put(`hidden${at}`, { datasource: "other", principals: [] }));
  await engine.apply(instanceId, others);
  expect(await read()).toEqual([]);
  await engine.apply(instanceId, [put("seen")]);
  expect(await read()).toEqual(["seen"]);
  await engine.apply(instanceId, [put("newer", { datasource: "another" })]);
  expect(await read()).toEqual(["seen"]);
});

it("every index begins with the instance, except those of words, whose numbers belong to a single instance", async () => {
  const written = await PostgresWorld.begin();
  const indexes = await written.rows<{ name: string; definition: string }>(
    `SELECT tablename || ': ' || indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE schemaname = 'gatehouse' AND tablename <> 'schema_versions' AND $1::bigint > 0 AND indexdef NOT LIKE '%(instance_id%'`,
  );
  const shared = indexes.map(({ name }) => name).filter((name) => !/^entries(_\d)?: entries_.*token/.test(name));
  expect(shared).toEqual(["instances: instances_due"]);
});

describe("completions, for somebody who sees many documents", () => {
  it("come from all documents, however old, if few words start the same", async () => {
    const written = await PostgresWorld.begin({ ...FIND_LIMITS, narrow: 0, learnt: 1 });
    await written.put([["old", { ...seen, title: ["plant"] }]]);
    await written.put(Array.from({ length: 3 }, (_, at) => [`newer${at}`, { ...seen, title: ["sky"] }] as const));
    expect(await written.all(seerOf("ben"), { query: "pla" })).toEqual(["old"]);
    expect(await written.all({ email: "zoe@acme.example", directoryGroups: [] }, { query: "plan" })).toEqual([]);
  });
});

/**
 * Returns what somebody finds by the start of a word, after many hidden words with it are written twice, and one that they
 * see.
 */
async function amongPlanted(planted: number, victim: string | null, limits: FindLimits): Promise<string[]> {
  const written = await PostgresWorld.begin(limits);
  const title = Array.from({ length: planted }, (_, at) => `plaa${at}`);
  await written.put([
    ...(victim === null ? [] : [["victim", { ...plain, ...hidden, title: [victim] }] as const]),
    ["hidden", { ...plain, ...hidden, title }],
    ["hidden again", { ...plain, ...hidden, title }],
    ["seen", { ...seen, title: ["plaz"] }],
  ]);
  return written.all(seerOf("ben"), { query: "pla" });
}
