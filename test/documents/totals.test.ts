import type { DocumentTotal } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INSTANCE, LocalShards } from "./sharding/objects.ts";
import { aDocument, searchOf, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };
const exactly = (documents: number): DocumentTotal => ({ documents, isExact: true });

const finderWith = (world: World, limits: Partial<FindLimits>) =>
  new Finder(world.store, { ...FIND_LIMITS, ...limits });

/** Every document has "tide", a third "moon", and every hundredth "almanac". */
const DOCUMENTS = Array.from({ length: 3300 }, (_, at) =>
  aDocument(String(at), {
    title: `Page ${at}`,
    objectType: at % 2 === 0 ? "Page" : "Ticket",
    body: `tide ${at % 3 === 0 ? "moon rise" : "moonless"} ${at % 100 === 0 ? "almanac" : ""} ${at % 5 === 0 ? "draft" : ""}`,
    principals: [{ kind: "everyone", datasource: "", name: "" }],
  }),
);

describe("the number of results", () => {
  let world: World;

  beforeAll(() => {
    world = new World();
    world.store.transaction(() => {
      for (const document of DOCUMENTS) putDocument(world.store, document, 1, 0);
    });
  });

  afterAll(() => world.store.close());

  const totalOf = (query: string, limits: Partial<FindLimits> = {}, documents = world) =>
    documents.page(seer, { query, requestOptions: { facetBucketSize: 5 } }, {}, finderWith(documents, limits)).total;

  it("counts what filters leave", () => {
    expect(totalOf("type:ticket")).toEqual(exactly(1650));
    expect(totalOf("type:ticket -moon")?.isExact).toBe(false);
  });

  it.each([
    ["almanac", 33],
    ["almanac moon ", 11],
    ['"moon rise" almanac ', 11],
    ["almanac -moon ", 22],
    ["almanac type:ticket", 0],
    ["nothing", 0],
  ])("is exact for words that few documents have: %s", (query, documents) => {
    expect(totalOf(query)).toEqual(exactly(documents));
  });

  it.each(["moon ", "moon tide ", '"moon rise" ', "moon -draft ", "tide moon rise "])(
    "is estimated for words that many documents have: %s",
    (query) => {
      const counted = query.includes("-") ? 880 : 1100;
      const total = totalOf(query, {
        sample: 100,
        glances: 100,
        together: 100,
        togetherEntries: 2000,
        checkedWords: 10 ** 6,
      });
      expect(total?.isExact).toBe(false);
      expect(Math.abs((total?.documents ?? 0) - counted)).toBeLessThan(counted * 0.1);
    },
  );

  it("is rounded if it is estimated", () => {
    const { documents = 0 } = totalOf("moon ", { sample: 101, glances: 101 }) ?? {};
    expect(documents % 100).toBe(0);
  });

  it("says what facets count", () => {
    const page = world.page(seer, { query: "almanac moon ", requestOptions: { facetBucketSize: 5 } });
    const counts = page.facets.find(({ field }) => field === "type")?.buckets.map(({ count }) => count) ?? [];
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(page.total?.documents);
  });

  it("is the number of documents on all pages if few have all words", () => {
    const few = new World();
    for (const document of DOCUMENTS.slice(0, 40)) putDocument(few.store, document, 1, 0);
    const total = few.page(seer, { query: "almanac rise " }).total;
    expect(total).toEqual(exactly(few.all(seer, { query: "almanac rise " }).length));
    few.store.close();
  });

  it("is the same with common words' bitmaps, and exact then", () => {
    world.mapCommonWords();
    expect(totalOf("moon ")).toEqual(exactly(1100));
    expect(totalOf("moon tide ")).toEqual(exactly(1100));
  });

  it("adds up what several shards find, on each page", async () => {
    const shards = new LocalShards(4, { clock: () => 0 });
    const documents = DOCUMENTS.slice(0, 60);
    await shards.documents.apply(
      INSTANCE,
      documents.map((document) => ({ act: "put", document })),
    );
    const first = await shards.documents.find(INSTANCE, searchOf({ query: "moon " }), seer);
    expect(first.total).toEqual(exactly(20));
    const position = first.next;
    const second = await shards.documents.find(INSTANCE, searchOf({ query: "moon " }, { position }), seer);
    expect([second.documents.length, second.total]).toEqual([10, exactly(20)]);
    shards.close();
  });
});
