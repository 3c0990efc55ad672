import { expect, it } from "vitest";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { PostgresWorld } from "./world.ts";

const group = (name: string) => ({ kind: "group", datasource: DATASOURCE, name }) as const;

it("NUL, half characters and the syntax of arrays are text in every value, and make no name equal to another", async () => {
  const world = await PostgresWorld.begin();
  const { engine, instanceId } = world;
  const seer = (...directoryGroups: readonly string[]) => ({ email: "ada@acme.example", directoryGroups });
  const [odd, plain] = ['c\\"{},NULL', "b\u{fffd}"];
  await engine.apply(instanceId, [
    { act: "put", document: aDocument("odd", { body: "pear", principals: [group(odd)] }) },
    { act: "put", document: aDocument("plain", { body: "pear", principals: [group(plain)] }) },
    { act: "put", document: aDocument("address", { url: "https://world.example/\0", tags: ["\0", "\ud800"] }) },
  ]);
  const found = async (who: ReturnType<typeof seer>, body: object = { query: "pear" }) =>
    (await world.page(who, { ...body })).documents.map(({ externalId }) => externalId);
  for (const isDescribed of [false, true]) {
    if (isDescribed) {
      await engine.changeRights(instanceId, DATASOURCE, { act: "describe group", name: "g" });
      const membership = { groupName: "g", memberKind: "user", member: "ben" } as const;
      await engine.changeRights(instanceId, DATASOURCE, { act: "add member", membership });
    }
    expect(await found(seer(odd))).toEqual(["odd"]);
    expect(await found(seer("b\0", "b\ud800", "\udc00", "\0"))).toEqual([]);
  }
  for (const text of ["a\0b", "a\ud800b", odd, "{}", "'; --"]) {
    expect(await found(seer(odd), { query: "pear", requestOptions: { datasourcesFilter: [text] } })).toEqual([]);
    const facetFilters = [{ fieldName: "from", values: [{ value: text }] }];
    expect(await found(seer(odd), { query: "pear", requestOptions: { facetFilters } })).toEqual([]);
    expect(await found(seer(odd), { query: `"pear ${text}" app:${text} -${text} ${"w".repeat(1000)}` })).not.toContain(
      "plain",
    );
    const names = [{ url: `https://world.example/${text}` }, { datasource: text, externalId: text }];
    const wanted = { content: true, contentBytesMax: 1000, customData: true };
    expect(await engine.read(instanceId, names, seer(odd), wanted)).toEqual([]);
    expect(await engine.inspectDocument(instanceId, DATASOURCE, text)).toBeNull();
    expect(await engine.indexedAt(instanceId, DATASOURCE, text)).toBeNull();
    expect((await engine.standingOf(instanceId, { ...seer(text), email: text })).groups).toEqual([]);
    await engine.listDocuments(instanceId, DATASOURCE, { after: text });
  }
});

it("a phrase is found first, however many documents with its words weigh more", async () => {
  const world = await PostgresWorld.begin({
    ...FIND_LIMITS,
    narrow: 0,
    sample: 0,
    entries: 1,
    entriesByWord: 1,
    weighed: 5,
    weighedTogether: 5,
    checked: 5,
  });
  const ada = { email: "ada@acme.example", directoryGroups: ["staff"] };
  const put = (name: string, body: string) => {
    const document = aDocument(name, { body, principals: [group("staff")] });
    return { act: "put", document } as const;
  };
  await world.engine.apply(world.instanceId, [
    put("phrase", `the low tide almanac of ${"many other words ".repeat(20)}`),
    ...Array.from({ length: 30 }, (_, at) => put(`words ${at}`, "tide and almanac, almanac and tide")),
  ]);
  const found = await world.page(ada, { query: '"tide almanac"' });
  expect(found.documents.map(({ externalId }) => externalId)).toEqual(["phrase"]);
});

it("a search weighs all that the limit of bytes has room for, however often documents repeat their words", async () => {
  const world = await PostgresWorld.begin({ ...FIND_LIMITS, weighedBytes: 1000, passageBytes: 1600 });
  const put = (name: string, body: string) =>
    ({ act: "put", document: aDocument(name, { body, principals: [group("staff")] }) }) as const;
  const long = Array.from({ length: 40 }, (_one, at) => put(`d${at}`, `${"tide ".repeat(2000)}almanac`));
  await world.engine.apply(world.instanceId, [put("first", "tide almanac"), ...long]);
  const ada = { email: "ada@acme.example", directoryGroups: ["staff"] };
  const { documents } = await world.page(ada, { query: "tide almanac " });
  expect(documents[0]?.externalId).toBe("first");
});

it.each([
  ["everything they see", FIND_LIMITS],
  ["what the index chooses", { ...FIND_LIMITS, narrow: 0, sample: 0 }],
])("entries that come in several rows are all weighed, if %s is weighed", async (_what, limits) => {
  const world = await PostgresWorld.begin(limits);
  const words = (from: number) => Array.from({ length: 4000 }, (_, at) => `w${from + at}`).join(" ");
  const documents = Array.from({ length: 7 }, (_, at) =>
    aDocument(String(at), { title: "", body: `tide ${"almanac ".repeat(at + 1)}${words(at * 1000)}` }),
  );
  await world.engine.apply(
    world.instanceId,
    documents.map((document) => ({ act: "put", document }) as const),
  );
  const found = await world.all({ email: "ada@acme.example", directoryGroups: [] }, { query: "tide almanac" });
  expect(found).toEqual(["6", "5", "4", "3", "2", "1", "0"]);
});
