import { ABANDONED_SECONDS, REMEMBERED_SECONDS } from "#documents/upkeep/upkeep.ts";
import { expect, it } from "vitest";
import { uploadPage } from "../documents/upload-page.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { objectCalls } from "./object.ts";
import { PostgresWorld } from "./world.ts";

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
