import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Principal } from "#documents/engine.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { runs } from "../support/properties.ts";
import { PostgresWorld } from "./world.ts";

/** With these limits, everybody sees too many documents to weigh all of them, and no list is short. */
const LIMITS = { ...FIND_LIMITS, narrow: 0, sample: 0 };

const ada = { email: "ada@acme.example", directoryGroups: [] };
const zoe = { email: "zoe@acme.example", directoryGroups: [] };
const forAda: Principal = { kind: "person", datasource: "", name: ada.email };
const forZoe: Principal = { kind: "person", datasource: "", name: zoe.email };

const put = (id: string, body: string, ...principals: readonly Principal[]) =>
  ({ act: "put", document: aDocument(id, { title: id, body, principals }) }) as const;
const permit = (externalId: string, ...principals: readonly Principal[]) =>
  ({ act: "permit", datasource: DATASOURCE, externalId, principals }) as const;
const remove = (externalId: string) => ({ act: "remove", datasource: DATASOURCE, externalId }) as const;

/** Documents 0 to 3 have the word: ada sees 0 and 1, zoe 2 and 3. All of them are posted. */
async function posted(): Promise<PostgresWorld> {
  const world = await PostgresWorld.begin(LIMITS);
  await world.engine.apply(world.instanceId, [
    put("0", "tide almanac", forAda),
    put("1", "tide tables", forAda),
    put("2", "tide almanac", forZoe),
    put("3", "tide", forZoe),
    put("4", "almanac", forAda, forZoe),
  ]);
  await world.post();
  return world;
}

const found = async (world: PostgresWorld, seer: typeof ada, query = "tide tables") =>
  (await world.all(seer, { query })).toSorted();

it("a search reads postings", async () => {
  const world = await posted();
  expect(await found(world, ada)).toEqual(["0", "1"]);
  // The index only finds what has all words.
  await world.rows("DELETE FROM postings WHERE instance_id = $1");
  expect(await found(world, ada)).toEqual(["1"]);
});

it("postings show nobody a document whose row they may not see", async () => {
  const world = await posted();
  await world.rows(
    `UPDATE postings p SET entries = (SELECT string_agg(int4send(e.id) || int4send(a.class), ''::bytea ORDER BY e.id DESC)
       FROM entries e, (SELECT class FROM entries WHERE instance_id = $1 AND id = 1) a WHERE e.instance_id = $1 AND e.id <= 4), size = 4
     WHERE p.instance_id = $1`,
  );
  expect(await found(world, ada)).toEqual(["0", "1"]);
});

it("documents written after the postings are found in their current state, and once", async () => {
  const world = await posted();
  const { engine, instanceId } = world;
  const expectFound = async (...ids: readonly string[]) => {
    expect(await found(world, ada)).toEqual(ids);
    await world.post();
    expect(await found(world, ada)).toEqual(ids);
  };
  await engine.apply(instanceId, [permit("2", forZoe, forAda)]);
  await expectFound("0", "1", "2");
  await engine.apply(instanceId, [permit("0", forZoe)]);
  await expectFound("1", "2");
  await engine.apply(instanceId, [put("5", "tables", forAda), put("4", "tide", forAda)]);
  await expectFound("1", "2", "4", "5");
  await engine.apply(instanceId, [remove("1"), put("2", "neap", forAda)]);
  await expectFound("4", "5");
});

const PERMISSIONS: readonly (readonly Principal[])[] = [[forAda], [forZoe], [forAda, forZoe], []];
const BODIES = ["tide tables", "tide", "tables of tides", "neap"];

const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant("put"), id: fc.nat(7), body: fc.nat(3), may: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("permit"), id: fc.nat(7), body: fc.nat(3), may: fc.nat(3) }) },
  fc.record({ act: fc.constant("remove"), id: fc.nat(7), body: fc.nat(3), may: fc.nat(3) }),
  { weight: 2, arbitrary: fc.record({ act: fc.constant("post"), id: fc.nat(7), body: fc.nat(3), may: fc.nat(3) }) },
);

it("everybody finds what they may see and nothing else, whatever is written before and after postings", async () => {
  const histories = fc.array(change, { minLength: 24, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(histories, async (changes) => {
      const world = await PostgresWorld.begin(LIMITS);
      const kept = new Map<string, { body: string; may: readonly Principal[] }>();
      for (const [at, { act, id: number, ...one }] of changes.entries()) {
        const id = String(number);
        const body = BODIES[one.body] ?? "";
        const may = PERMISSIONS[one.may] ?? [];
        const before = kept.get(id);
        if (act === "post") await world.post();
        else if (act === "put") {
          await world.engine.apply(world.instanceId, [put(id, body, ...may)]);
          kept.set(id, { body, may });
        } else if (before && act === "permit") {
          await world.engine.apply(world.instanceId, [permit(id, ...may)]);
          kept.set(id, { ...before, may });
        } else if (before) {
          await world.engine.apply(world.instanceId, [remove(id)]);
          kept.delete(id);
        }
        for (const [seer, principal] of [
          [ada, forAda],
          [zoe, forZoe],
        ] as const) {
          const seen = [...kept].filter(([, document]) => document.may.includes(principal) && document.body !== "neap");
          const ids = seen.map(([name]) => name).toSorted();
          expect([at, seer.email, await found(world, seer)]).toEqual([at, seer.email, ids]);
        }
      }
    }),
    { numRuns: runs(1), endOnFailure: true },
  );
});

it("postings that miss a write without an epoch are not read until they are written again", async () => {
  const world = await posted();
  await world.rows("UPDATE instances SET version = version + 1 WHERE instance_id = $1");
  await world.rows(
    `UPDATE entries SET class = (SELECT class FROM entries WHERE instance_id = $1 AND id = 1) WHERE instance_id = $1 AND id = 3`,
  );
  expect(await found(world, ada)).toEqual(["0", "1", "2"]);
  await world.post();
  expect(await found(world, ada)).toEqual(["0", "1", "2"]);
  await world.rows("DELETE FROM postings WHERE instance_id = $1");
  expect(await found(world, ada)).toEqual(["1"]);
});

it("words that no document has any more have no postings", async () => {
  const world = await posted();
  const hashes = () => world.rows("SELECT DISTINCT hash FROM postings WHERE instance_id = $1");
  const before = (await hashes()).length;
  await world.engine.apply(world.instanceId, [remove("1")]);
  await world.post();
  // "1" and "tables".
  expect(await hashes()).toHaveLength(before - 2);
});

it("postings are not read if there are more new documents than a search may look for", async () => {
  const world = await posted();
  const { engine, instanceId } = world;
  await world.rows("DELETE FROM postings WHERE instance_id = $1");
  await engine.apply(instanceId, [put("5", "tide", forAda), put("6", "tide", forZoe)]);
  expect(await found(world, ada)).toEqual(["1", "5"]);
  // The third new one, whoever may see it. From here on, the index is searched for all documents, as without postings.
  await engine.apply(instanceId, [put("7", "tide", forZoe)]);
  expect(await found(world, ada)).toEqual(["0", "1", "5"]);
});
