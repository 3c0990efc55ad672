import { expect, it } from "vitest";
import type { Principal } from "#documents/engine.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { LEVELS } from "#documents/index-rules.ts";
import { holdersOfAll } from "#documents-postgres/find/holders.ts";
import { Lists } from "#documents-postgres/find/lists.ts";
import { Scope } from "#documents-postgres/find/scope.ts";
import { instanceOf, wordHashOf } from "#documents-postgres/instance.ts";
import { levelToken, wordToken } from "#documents-postgres/tokens.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { PostgresWorld } from "./world.ts";

/** With these limits, everybody sees too many documents to weigh all of them, and no list is short. */
const LIMITS = { ...FIND_LIMITS, narrow: 0, sample: 0 };

const ada = { email: "ada@acme.example", directoryGroups: [] };
const forAda: Principal = { kind: "person", datasource: "", name: ada.email };
const forZoe: Principal = { kind: "person", datasource: "", name: "zoe@acme.example" };

const put = (id: string, body: string, ...principals: readonly Principal[]) =>
  ({ act: "put", document: aDocument(id, { title: id, body, principals }) }) as const;

/** Makes a world whose words are posted. Words that are written later are not. */
async function posted(): Promise<PostgresWorld> {
  const world = await PostgresWorld.begin(LIMITS);
  await world.engine.apply(world.instanceId, [
    put("0", "tide tables", forAda),
    put("1", "tables", forAda),
    put("2", "tide tables", forZoe),
    put("3", "tide", forAda),
  ]);
  await world.post();
  return world;
}

/** Finds documents by words in quotes: only those that have all of them. */
const found = async (world: PostgresWorld, query = '"tide" "tables"') => (await world.all(ada, { query })).toSorted();

it("a search of several words reads holders, and also finds what was written since", async () => {
  const world = await posted();
  const { engine, instanceId } = world;
  expect(await found(world)).toEqual(["0"]);
  await engine.apply(instanceId, [
    put("1", "tables of tides, tide by tide", forAda),
    { act: "permit", datasource: DATASOURCE, externalId: "2", principals: [forAda] },
  ]);
  expect(await found(world)).toEqual(["0", "1", "2"]);
  await world.rows("DELETE FROM holders WHERE instance_id = $1");
  expect(await found(world)).toEqual(["1", "2"]);
  // After this many writes, the index is read instead.
  await engine.apply(instanceId, [put("4", "tide tables", forAda)]);
  expect(await found(world)).toEqual(["0", "1", "2", "4"]);
});

it("holders show nobody a document whose row they may not see, or one without the words", async () => {
  const world = await posted();
  await world.rows(
    `UPDATE holders SET size = 4, ids = (SELECT string_agg(substr(int4send(id), 3), ''::bytea) FROM entries WHERE instance_id = $1)
     WHERE instance_id = $1`,
  );
  expect(await found(world)).toEqual(["0"]);
});

it("holders that miss a write without an epoch are not read until they are written again", async () => {
  const world = await posted();
  await world.rows("UPDATE instances SET version = version + 1 WHERE instance_id = $1");
  await world.rows("DELETE FROM holders WHERE instance_id = $1");
  expect(await found(world)).toEqual(["0"]);
  await world.post();
  const [row] = await world.rows<{ count: number }>("SELECT count(*) FROM holders WHERE instance_id = $1");
  expect(Number(row?.count)).toBeGreaterThan(0);
  expect(await found(world)).toEqual(["0"]);
});

/** Numbers of documents in several blocks. The second one is full enough to have a bit for each document. */
const IDS = {
  tide: [1, 2, 31, 32, 65_535, ...Array.from({ length: 5000 }, (_, at) => 65_536 + at * 13), 131_103, 400_000],
  tables: [2, 32, 33, ...Array.from({ length: 4200 }, (_, at) => 65_536 + at * 7), 131_103, 262_144, 400_000],
} as const;

it("holders give exactly the documents that have all words, over blocks that are written in several steps", async () => {
  const world = await PostgresWorld.begin(LIMITS);
  const { instanceId } = world;
  const instance = await world.database.read(instanceId, instanceOf);
  const hash = wordHashOf(instance);
  for (const [word, ids] of Object.entries(IDS)) {
    const tokens = `{${wordToken(instanceId, hash(word))},${levelToken(instanceId, hash(word), 3)}}`;
    await world.rows(
      `INSERT INTO entries AS e (instance_id, id, class, kind, length, day, tokens) SELECT $1, id, 1, 1, 1, 0, $2::text::int[]
       FROM unnest($3::text::int[]) AS i (id) ON CONFLICT (instance_id, id) DO UPDATE SET tokens = e.tokens || excluded.tokens`,
      tokens,
      `{${ids.join(",")}}`,
    );
    await world.rows(
      "INSERT INTO words (instance_id, hash, word, documents, l3) VALUES ($1, $2, $3, $4, $4)",
      hash(word) | 0,
      word,
      ids.length,
    );
  }
  await world.rows(
    "UPDATE instances SET last_document = 400000, documents = 10000, version = 1, upkeep_at = 0 WHERE instance_id = $1",
  );
  await world.post();
  await world.database.read(instanceId, async (rows) => {
    const words = Object.keys(IDS).map((word) => {
      return { word, times: 1, isRequired: true, isUnfinished: false, completions: [], forms: [] };
    });
    const gathered = await rows.all<{ hash: number; gathered: number; posted: number; documents: number }>(
      "SELECT hash, gathered, posted, documents FROM words WHERE instance_id = $1",
    );
    const frequencyOf = (word: string) => ({
      levels: Array.from({ length: LEVELS }, () => 0),
      ...(gathered.find((one) => one.hash === (hash(word) | 0)) ?? { documents: 0 }),
    });
    const lists = new Lists(instanceId, await instanceOf(rows), hash, { words, frequencyOf }, 2);
    const held = { principals: new Set([1]), classes: [1], bits: new Uint8Array([2]) };
    const scope = new Scope(held, [], null, 400_000);
    const question = { slots: words, phrases: [], unwanted: [], typed: "", filters: [] };
    const all = await holdersOfAll(rows, scope, lists, question);
    const both = IDS.tide.filter((id) => (IDS.tables as readonly number[]).includes(id));
    expect(all).toMatchObject({ since: [], isComplete: true });
    expect(all?.likely.ids().toReversed()).toEqual(both);
    expect(all?.likely.size).toBe(both.length);
  });
  const blocks = await world.rows<{ size: number; bytes: number }>(
    "SELECT size, octet_length(ids) AS bytes FROM holders WHERE instance_id = $1 AND block = 1 ORDER BY size DESC",
  );
  expect(blocks).toEqual([
    { size: 5000, bytes: 8192 },
    { size: 4200, bytes: 8192 },
  ]);
});

it("a step writes no more documents of a word than a block has, if most of them are in few blocks", async () => {
  const world = await PostgresWorld.begin(LIMITS);
  const { instanceId } = world;
  const hash = wordHashOf(await world.database.read(instanceId, instanceOf));
  const documents = 70_000;
  for (let at = 0; at < documents; at += 10_000) {
    await world.rows(
      `INSERT INTO entries (instance_id, id, class, kind, length, day, tokens) SELECT $1, 8000000 + id, 1, 1, 1, 0, $2::text::int[]
       FROM generate_series($3::int, $3::int + 9999) AS i (id)`,
      `{${wordToken(instanceId, hash("tide"))}}`,
      at,
    );
  }
  await world.rows(
    "INSERT INTO words (instance_id, hash, word, documents) VALUES ($1, $2, 'tide', $3)",
    hash("tide") | 0,
    documents,
  );
  await world.rows(
    "UPDATE instances SET last_document = 10000000, documents = 10000000, version = 1, upkeep_at = 0 WHERE instance_id = $1",
  );
  const gathered = async () => {
    const [row] = await world.rows<{ size: number }>(
      "SELECT coalesce(sum(size), 0)::int AS size FROM holders WHERE instance_id = $1",
    );
    return row?.size ?? 0;
  };
  world.now += 3600;
  const sizes = [0];
  while (await world.engine.upkeep(instanceId)) sizes.push(await gathered());
  expect(sizes.at(-1)).toBe(documents);
  expect(Math.max(...sizes.map((size, at) => size - (sizes[at - 1] ?? 0)))).toBeLessThanOrEqual(65_536);
});
