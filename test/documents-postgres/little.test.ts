import { describe, expect, it } from "vitest";
import type { Principal } from "#documents/engine.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { PostgresWorld } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };
const ada: Principal = { kind: "person", datasource: "", name: seer.email };
const zoe: Principal = { kind: "person", datasource: "", name: "zoe@acme.example" };

/** If somebody sees little of an instance, the index is also searched by principals. */
describe.each([
  ["everything they see is weighed", FIND_LIMITS],
  ["the index chooses", { ...FIND_LIMITS, narrow: 0, sample: 0 }],
])("somebody who sees one document of twelve, if %s", (_how, limits) => {
  it("finds it by its current permissions, whatever was written after them", async () => {
    const world = await PostgresWorld.begin(limits);
    const { engine, instanceId } = world;
    const put = (at: number, principals: readonly Principal[], body: string) =>
      ({ act: "put", document: aDocument(String(at), { body, principals }) }) as const;
    const permit = (principals: readonly Principal[]) =>
      ({ act: "permit", datasource: DATASOURCE, externalId: "0", principals }) as const;
    const others = Array.from({ length: 11 }, (_, at) => put(at + 1, [zoe], "tide almanac"));
    await engine.apply(instanceId, [...others, put(0, [zoe], "tide almanac")]);
    const found = () => world.all(seer, { query: "tide almanac" });
    expect(await found()).toEqual([]);
    await engine.apply(instanceId, [permit([zoe, ada])]);
    expect(await found()).toEqual(["0"]);
    await engine.apply(instanceId, [put(0, [zoe, ada], "tide almanac of Brest")]);
    expect(await found()).toEqual(["0"]);
    const note = {
      id: 3,
      name: "note",
      display: "note",
      facetName: "reviewnote",
      propertyType: "TEXT",
      skipIndexing: false,
    } as const;
    await engine.putValues(
      instanceId,
      { whole: "0", datasource: DATASOURCE, externalId: "0" },
      { id: 1, name: "review", display: "review", version: 1, keys: [note] },
      [{ name: "note", display: "note", isList: false, values: ["neap"] }],
    );
    expect(await world.all(seer, { query: "neap almanac" })).toEqual(["0"]);
    expect(await found()).toEqual(["0"]);
    await engine.apply(instanceId, [permit([zoe])]);
    expect(await found()).toEqual([]);
    await engine.apply(instanceId, [permit([])]);
    await engine.apply(instanceId, [permit([ada])]);
    expect(await found()).toEqual(["0"]);
  });
});

it("somebody who sees one document finds it by the start of a word, however many words of others' documents start so", async () => {
  const world = await PostgresWorld.begin();
  const { engine, instanceId } = world;
  const put = (id: string, principals: readonly Principal[], body: string) =>
    ({ act: "put", document: aDocument(id, { title: id, body, principals }) }) as const;
  const letter = (at: number) => String.fromCodePoint(97 + (at % 26));
  const others = Array.from({ length: 600 }, (_, at) => `pla${letter(at)}${letter(Math.floor(at / 26))}q`).join(" ");
  await engine.apply(instanceId, [put("seen", [ada], "plazzz"), put("one", [zoe], others), put("two", [zoe], others)]);
  expect(await world.all(seer, { query: "pla" })).toEqual(["seen"]);
});
