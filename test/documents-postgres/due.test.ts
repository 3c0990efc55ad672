import { ABANDONED_SECONDS, REMEMBERED_SECONDS } from "#documents/upkeep/upkeep.ts";
import type { Principal } from "#documents/engine.ts";
import { expect, it } from "vitest";
import { uploadPage } from "../documents/upload-page.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { objectCalls } from "./object.ts";
import { PostgresWorld } from "./world.ts";

const forAda: Principal = { kind: "person", datasource: "", name: "ada@acme.example" };

const FIRST_PAGE = uploadPage({ isFirst: true, items: [{ kind: "documents", document: aDocument("one") }] });

it("both engines do what is due in the second in which it is due, and need no more steps until the next", async () => {
  const world = await PostgresWorld.begin();
  const { engine, instanceId } = world;
  const object = objectCalls(() => world.now);
  const engines = [
    {
      take: () => object.takePage(FIRST_PAGE),
      upkeep: () => object.upkeep(),
      uploads: () => object.uploads(DATASOURCE),
    },
    {
      take: () => engine.takePage(instanceId, FIRST_PAGE),
      upkeep: () => engine.upkeep(instanceId),
      uploads: () => engine.uploads(instanceId, DATASOURCE),
    },
  ];
  for (const { take, upkeep, uploads } of engines) {
    world.now = 1000;
    await take();
    const afterAll = async () => {
      for (let steps = 0; await upkeep(); steps += 1) if (steps > 50) throw new Error("no end");
      return (await uploads()).map(({ status }) => status);
    };
    expect(await afterAll()).toEqual(["receiving"]);
    world.now += ABANDONED_SECONDS;
    expect(await afterAll()).toEqual(["given up"]);
    world.now = 1000 + REMEMBERED_SECONDS;
    expect(await afterAll()).toEqual([]);
  }
  object.close();
});

it("names that no document has are removed in steps, including those of a write between the steps", async () => {
  const world = await PostgresWorld.begin();
  const { engine, instanceId } = world;
  const body = Array.from({ length: 1200 }, (_, at) => `w${at}`).join(" ");
  await engine.apply(instanceId, [
    { act: "put", document: aDocument("long", { body, principals: [forAda] }) },
    { act: "put", document: aDocument("short", { body: "tide", principals: [] }) },
  ]);
  const remove = (externalId: string) =>
    engine.apply(instanceId, [{ act: "remove", datasource: DATASOURCE, externalId }]);
  const left = async () => {
    const [row] = await world.rows<{ words: number; names: number }>(
      `SELECT (SELECT count(*) FROM words WHERE instance_id = $1)::int AS words, (SELECT count(*) FROM principals WHERE instance_id = $1)
         + (SELECT count(*) FROM classes WHERE instance_id = $1)::int AS names`,
    );
    return { words: row?.words ?? 0, names: Number(row?.names) };
  };
  await remove("long");
  world.now += 3600;
  const words = [(await left()).words];
  while (await engine.upkeep(instanceId)) {
    const isFirst = (words.at(-1) ?? 0) === words[0];
    words.push((await left()).words);
    if (isFirst && (words.at(-1) ?? 0) < (words[0] ?? 0)) await remove("short");
  }
  words.push((await left()).words);
  const gone = words.map((size, at) => (words[at - 1] ?? size) - size);
  expect(Math.max(...gone)).toBe(500);
  const { alarmAt } = await engine.stats(instanceId);
  expect(alarmAt).toBe(world.now + 3600);
  world.now += 3600;
  await world.post();
  expect(await left()).toEqual({ words: 0, names: 0 });
  expect((await engine.stats(instanceId)).alarmAt).toBeNull();
});
