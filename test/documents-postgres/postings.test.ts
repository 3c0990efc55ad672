import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Principal } from "#documents/engine.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { runs } from "../support/properties.ts";
import { LEVELS } from "#documents/index-rules.ts";
import { newMemory, PostgresDocuments } from "#documents-postgres/engine.ts";
import { gainsAmong } from "#documents-postgres/find/gather.ts";
import { Lists } from "#documents-postgres/find/lists.ts";
import { newestWithAny } from "#documents-postgres/find/newest-with-any.ts";
import { Scope } from "#documents-postgres/find/scope.ts";
import { instanceOf, wordHashOf } from "#documents-postgres/instance.ts";
import { epochToken, wordToken } from "#documents-postgres/tokens.ts";
import { Rights } from "#documents-postgres/rights/held.ts";
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

it("lists of the index add to the scores of visible documents only, even if few documents have a word", async () => {
  const world = await PostgresWorld.begin(LIMITS);
  const { engine, instanceId } = world;
  await engine.apply(instanceId, [put("0", "tide", forAda), put("1", "tide", forZoe), put("2", "tide", forAda)]);
  await world.database.read(instanceId, async (rows) => {
    const instance = await instanceOf(rows);
    const token = wordToken(instanceId, wordHashOf(instance)("tide"));
    const words = [{ word: "tide", times: 1, isRequired: true, isUnfinished: false, completions: [], forms: [] }];
    const frequencyOf = () => ({ documents: 3, levels: [] });
    const lists = new Lists(instanceId, instance, wordHashOf(instance), { words, frequencyOf }, 1000);
    const scope = new Scope(await new Rights().heldBy(rows, instance, ada), [], null, instance.lastDocument);
    for (const entries of [3, 3000]) {
      const list = { slot: 0, gain: 1, tokens: [token], entries };
      const since = { epochs: [epochToken(instanceId, instance.epoch)], documents: 1000 };
      const gains = await gainsAmong(rows, scope.sparse(instanceId), lists, [list], since, 10);
      expect(new Set(gains?.keys())).toEqual(new Set([1, 3]));
    }
  });
});

/** Returns the newest visible documents with one of the words, once by postings and once by the index alone. */
async function newest(world: PostgresWorld, seer: typeof ada, words: readonly string[], unpostedMax: number) {
  return world.database.read(world.instanceId, async (rows) => {
    const instance = await instanceOf(rows);
    const held = await new Rights().heldBy(rows, instance, seer);
    const hash = wordHashOf(instance);
    const hashes = words.map((word) => hash(word) | 0);
    const known = await rows.all<{ hash: number; posted: number }>(
      "SELECT hash, posted FROM words WHERE instance_id = $1",
    );
    const lastOf = new Map(known.map((one) => [one.hash, one.posted]));
    const by = async (lasts: readonly number[] | null) => {
      const scope = new Scope(held, [], null, instance.lastDocument);
      return (await newestWithAny(rows, instance, scope, { hashes, posted: lasts }, unpostedMax)).map(({ id }) => id);
    };
    return { byPostings: await by(hashes.map((one) => lastOf.get(one) ?? 0)), byIndex: await by(null) };
  });
}

it("postings and the index find the same newest documents with a word, whatever was written since", async () => {
  const world = await PostgresWorld.begin(LIMITS);
  const { engine, instanceId } = world;
  const ids = Array.from({ length: 260 }, (_, at) => `${at}`);
  await engine.apply(
    instanceId,
    ids.map((id, at) => put(id, at % 3 === 0 ? "neap" : "tide", at % 5 === 0 ? forZoe : forAda)),
  );
  const expectSame = async (size: number) => {
    for (const few of [2, 1000]) {
      const { byPostings, byIndex } = await newest(world, ada, ["tide", "tables"], few);
      expect(byPostings).toEqual(byIndex);
      expect(byIndex).toHaveLength(size);
    }
  };
  await expectSame(100);
  await world.post();
  await expectSame(100);
  // More documents than are looked up at once are gone or no longer permitted, and others are new.
  await engine.apply(instanceId, [
    ...ids.slice(60, 130).map(remove),
    ...ids.slice(130, 240).map((id) => permit(id, forZoe)),
    put("3", "tide", forAda),
    permit("5", forAda),
    put("300", "tables", forAda),
    put("301", "tables", forZoe),
  ]);
  const { byIndex } = await newest(world, ada, ["tide", "tables"], 1000);
  await expectSame(byIndex.length);
  expect(byIndex.length).toBeLessThan(100);
  await world.post();
  await expectSame(byIndex.length);
});

/** Limits with which each step of the clean-up writes little. */
const posting = { documents: 1, few: 2, holders: 4, entries: 6, list: 8 };

/** Runs all steps. @returns how many entries of postings each of them wrote */
async function steps(world: PostgresWorld): Promise<number[]> {
  const engine = new PostgresDocuments(world.database, newMemory(), () => world.now, LIMITS, posting);
  const rows = async () => {
    const lists = await world.rows<{ key: string; size: number }>(
      "SELECT concat(hash, ' ', level, ' ', part, ' ', xmin) AS key, size FROM postings WHERE instance_id = $1",
    );
    return new Map(lists.map(({ key, size }) => [key, size]));
  };
  world.now += 3600;
  const written: number[] = [];
  for (let before = await rows(), isMore = true; isMore; ) {
    isMore = await engine.upkeep(world.instanceId);
    const after = await rows();
    written.push([...after].reduce((sum, [key, size]) => sum + (before.has(key) ? 0 : size), 0));
    before = after;
  }
  return written;
}

it("a step writes at most as many entries as its limit, or one level of a word", async () => {
  const world = await PostgresWorld.begin(LIMITS);
  const { engine, instanceId } = world;
  const ids = Array.from({ length: 7 }, (_, at) => `${at}`);
  // Words at several levels, with five or two documents each.
  await engine.apply(
    instanceId,
    ids.map((id, at) => put(id, at < 5 ? "tide" : `tide ${"tide ".repeat(40)}`, forAda)),
  );
  const written = await steps(world);
  expect(Math.max(...written)).toBe(posting.entries);
  const [word] = await world.rows<{ posted: number; posting: number; posting_level: number }>(
    "SELECT posted, posting, posting_level FROM words WHERE instance_id = $1 AND word = 'tide'",
  );
  expect(word).toMatchObject({ posting: 0, posting_level: 0 });
  expect(word?.posted).toBeGreaterThan(0);
  expect(await found(world, ada, "tide nothing")).toEqual(ids);
  // All documents are written again, which is more than a search looks for besides postings.
  await engine.apply(
    instanceId,
    ids.map((id) => permit(id, forZoe)),
  );
  expect(Math.max(...(await steps(world)))).toBe(posting.entries);
  expect(await found(world, zoe, "tide nothing")).toEqual(ids);
  expect(await found(world, ada, "tide nothing")).toEqual([]);
});

it("a partly written word has no postings that searches read, and the next step continues where the last one ended", async () => {
  const world = await PostgresWorld.begin(LIMITS);
  const { engine, instanceId } = world;
  await engine.apply(instanceId, [put("0", "tide", forAda), put("1", `tide ${"tide ".repeat(40)}`, forAda)]);
  const small = new PostgresDocuments(world.database, newMemory(), () => world.now, LIMITS, { ...posting, entries: 1 });
  world.now += 3600;
  const stateOf = async () =>
    (
      await world.rows<{ posted: number; posting: number; lists: number }>(
        `SELECT posted, posting, (SELECT count(*)::int FROM postings p WHERE p.instance_id = $1 AND p.hash = w.hash) AS lists
         FROM words w WHERE w.instance_id = $1 AND word = 'tide'`,
      )
    )[0];
  while ((await stateOf())?.lists === 0) await small.upkeep(instanceId);
  expect(await stateOf()).toMatchObject({ posted: 0, lists: 1 });
  expect(await found(world, ada)).toEqual(["0", "1"]);
  await engine.apply(instanceId, [put("2", "tide", forAda)]);
  while (await small.upkeep(instanceId));
  expect(await stateOf()).toMatchObject({ posting: 0, lists: expect.any(Number) });
  expect((await stateOf())?.posted).toBeGreaterThan(0);
  expect(await found(world, ada)).toEqual(["0", "1", "2"]);
});

it("a word that is only in new documents gets no more postings than other words", async () => {
  const world = await PostgresWorld.begin(LIMITS);
  const { engine, instanceId } = world;
  const puts = Array.from({ length: 60 }, (_, at) => put(`${at}`, at < 40 ? "neap" : "tide", forAda));
  await engine.apply(instanceId, puts);
  await steps(world);
  const sizes = await world.rows<{ size: number }>(
    `SELECT sum(size)::int AS size FROM postings p JOIN words w ON w.instance_id = $1 AND w.hash = p.hash
     WHERE p.instance_id = $1 AND w.word IN ('neap', 'tide') GROUP BY p.hash, p.level`,
  );
  expect(sizes.length).toBeLessThan(2 * LEVELS);
  for (const { size } of sizes) expect([size > 0, size <= posting.list * 1.25]).toEqual([true, true]);
});
