import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parseRequest } from "#client-api/search/request.ts";
import type { Principal, Seer } from "#documents/engine.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { type Database, numbersIn, type Rows } from "#documents-postgres/database.ts";
import { newMemory, POSTGRES_LIMITS, PostgresDocuments } from "#documents-postgres/engine.ts";
import { Forwards } from "#documents-postgres/find/known-forwards.ts";
import type { Instance } from "#documents-postgres/instance.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { runs } from "../support/properties.ts";
import { PostgresWorld } from "./world.ts";

/** With these limits, everybody sees too many documents to weigh all of them, and no list is short. */
const WIDE = { ...FIND_LIMITS, narrow: 0, sample: 0 };

const ada = { email: "ada@acme.example", directoryGroups: [] };
const zoe = { email: "zoe@acme.example", directoryGroups: [] };
const forAda: Principal = { kind: "person", datasource: "", name: ada.email };
const forZoe: Principal = { kind: "person", datasource: "", name: zoe.email };

const put = (id: string, title: string, body: string, ...principals: readonly Principal[]) =>
  ({ act: "put", document: aDocument(id, { title, body, principals }) }) as const;
const named = (externalId: string) => ({ datasource: DATASOURCE, externalId });

/** Returns the page that an engine finds, which has room for all documents of these tests. */
function pageOf(engine: PostgresDocuments, { instanceId }: PostgresWorld, seer: Seer, query: string) {
  const { query: _query, cursor: _cursor, ...asked } = parseRequest({ query });
  const preferences = { languages: USUAL_LANGUAGES, recentAt: null };
  return engine.find(instanceId, { ...asked, position: null, preferences }, seer);
}

/** Makes an engine that records which forward entries it reads. */
function watched({ database }: PostgresWorld, limits: FindLimits) {
  const read: number[] = [];
  const watching: Database = {
    write: (id, act) => database.write(id, act),
    read: (id, act) =>
      database.read(id, (rows) => {
        const watch =
          (run: Rows["all"]): Rows["all"] =>
          async (statement, ...values) => {
            const found = await run<{ readonly read?: string; readonly forwards?: string }>(statement, ...values);
            read.push(...found.flatMap((row) => (row.forwards === undefined ? [] : numbersIn(row.read ?? "{}"))));
            return found as never;
          };
        return act({
          instanceId: rows.instanceId,
          all: watch((statement, ...values) => rows.all(statement, ...values)),
          byKey: watch((statement, ...values) => rows.byKey(statement, ...values)),
        });
      }),
  };
  return { engine: new PostgresDocuments(watching, newMemory(), () => 1000, limits), read };
}

it.each([
  ["of what lists give", WIDE],
  ["of everything that the person may see", POSTGRES_LIMITS],
])("a search %s rereads only what was written since", async (_, limits) => {
  const world = await PostgresWorld.begin(limits);
  await world.engine.apply(world.instanceId, [
    put("0", "tide", "tide almanac", forAda),
    put("1", "tide tables", "tide", forAda),
    put("2", "neap", "tide", forAda, forZoe),
  ]);
  const { engine, read } = watched(world, limits);
  const found = async (query: string, seer = ada) =>
    (await pageOf(engine, world, seer, query)).documents.map(({ externalId }) => externalId).toSorted();
  expect(await found("tide ")).toEqual(["0", "1", "2"]);
  expect(new Set(read.splice(0))).toEqual(new Set([1, 2, 3]));
  expect(await found("tide ")).toEqual(["0", "1", "2"]);
  expect(await found("tide ", zoe)).toEqual(["2"]);
  expect(read).toEqual([]);
  await world.engine.apply(world.instanceId, [put("1", "spring", "spring almanac", forAda)]);
  expect(await found("tide spring ")).toEqual(["0", "1", "2"]);
  expect(read).toEqual([2]);
});

it("a document's own row decides who may see it, whatever is remembered about it", async () => {
  for (const limits of [WIDE, POSTGRES_LIMITS]) {
    const world = await PostgresWorld.begin(limits);
    await world.engine.apply(world.instanceId, [put("0", "tide", "tide", forAda), put("1", "neap", "tide", forAda)]);
    expect(await world.all(ada, { query: "tide " })).toHaveLength(2);
    expect(await world.all(zoe, { query: "tide " })).toEqual([]);
    await world.rows("UPDATE entries SET class = 0 WHERE instance_id = $1 AND id = 1");
    expect(await world.all(ada, { query: "tide " })).toEqual(["1"]);
  }
});

const WORDS = ["tide", "tides", "neap", "spring", "almanac", "tables"];
const QUERIES = ["tide ", "tide tables ", "almanac neap spring ", '"tide tables"', "ti"];
const MAY: readonly (readonly Principal[])[] = [[forAda], [forZoe], [forAda, forZoe], []];

const change = fc.record({
  act: fc.constantFrom("put", "put", "permit", "remove"),
  id: fc.nat(6).map(String),
  title: fc.array(fc.constantFrom(...WORDS), { maxLength: 2 }).map((words) => words.join(" ")),
  body: fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(" ")),
  may: fc.constantFrom(...MAY),
  query: fc.constantFrom(...QUERIES),
});

it("an engine that remembers forward entries finds the same as one that doesn't, whatever is written", async () => {
  const histories = fc.array(change, { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(histories, fc.constantFrom(WIDE, POSTGRES_LIMITS), async (changes, limits) => {
      const world = await PostgresWorld.begin(limits);
      for (const { act, id, title, body, may, query } of changes) {
        const written =
          act === "put"
            ? put(id, title, body, ...may)
            : act === "permit"
              ? ({ act: "permit", ...named(id), principals: may } as const)
              : ({ act: "remove", ...named(id) } as const);
        await world.engine.apply(world.instanceId, [written]);
        for (const seer of [ada, zoe]) {
          const forgetful = new PostgresDocuments(world.database, newMemory(), () => world.now, limits);
          expect(await pageOf(world.engine, world, seer, query)).toEqual(await pageOf(forgetful, world, seer, query));
        }
      }
    }),
    { numRuns: runs(2), endOnFailure: true },
  );
});

const instance = { counting: "1 2 3", version: 1, documents: 10, length: 1000 } as Instance;
const forward = (words: number) => ({ hashes: new Uint32Array(words), counts: new Uint8Array(words) });

it("forward entries are forgotten after a restore, and a row is trusted only as it was read", () => {
  const forwards = new Forwards();
  forwards.of(1, instance).remember(7, 100, forward(1));
  expect(forwards.of(1, instance).get(7)).toBeDefined();
  const written = forwards.of(1, { ...instance, version: 2 });
  expect([written.get(7), written.isUnsure(7)]).toEqual([undefined, true]);
  written.confirm(7, 101);
  expect(written.get(7)).toBeUndefined();
  written.confirm(7, 100);
  expect(written.get(7)).toBeDefined();
  expect(forwards.of(1, { ...instance, counting: "1 2 4", version: 2 }).size).toBe(0);
});

it("forward entries without a stamp are not remembered", () => {
  const forwards = new Forwards();
  forwards.of(1, instance).remember(7, 0, forward(1));
  expect(forwards.of(1, instance).size).toBe(0);
});

it("forward entries of large instances are not remembered, and those of all others have a common limit in bytes", () => {
  const forwards = new Forwards();
  const large = forwards.of(1, { ...instance, length: 10_000_000 });
  large.remember(7, 100, forward(1));
  expect(large.size).toBe(0);
  for (let id = 2; id < 12; id++) forwards.of(id, instance).remember(7, 100, forward(1_000_000));
  const kept = Array.from({ length: 10 }, (_, at) => forwards.of(at + 2, instance)).filter(({ size }) => size > 0);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(8);
});

it.each([
  ["of what lists give", WIDE],
  ["of everything that the person may see", POSTGRES_LIMITS],
] as const)("a search finds what it knew while another one learns newer rows, %s", async (_how, limits) => {
  const world = await PostgresWorld.begin(limits);
  const memory = newMemory();
  let meanwhile = async () => {};
  const interrupted: Database = {
    write: (id, act) => world.database.write(id, act),
    read: (id, act) =>
      world.database.read(id, (rows) =>
        act({
          instanceId: rows.instanceId,
          all: (statement, ...values) => rows.all(statement, ...values),
          byKey: async (statement, ...values) => {
            const found = await rows.byKey(statement, ...values);
            const run = meanwhile;
            if (statement.includes("FROM forwards") && statement.includes("AS forwards")) {
              meanwhile = async () => {};
              await run();
            }
            return found;
          },
        }),
      ),
  };
  const engine = new PostgresDocuments(interrupted, memory, () => 1000, limits);
  const idsOf = async () =>
    (await pageOf(engine, world, ada, "tide")).documents.map(({ externalId }) => externalId).toSorted();
  await world.engine.apply(world.instanceId, [put("0", "zero", "tide", forAda), put("1", "one", "tide", forAda)]);
  expect(await idsOf()).toEqual(["0", "1"]);
  await world.engine.apply(world.instanceId, [put("2", "two", "tide", forAda)]);
  let others: readonly string[] = [];
  meanwhile = async () => {
    await world.engine.apply(world.instanceId, [put("3", "three", "tide", forAda)]);
    others = await idsOf();
  };
  expect(await idsOf()).toEqual(["0", "1", "2"]);
  expect(others).toEqual(["0", "1", "2", "3"]);
});
