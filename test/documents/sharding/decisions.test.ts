import { describe, expect, it } from "vitest";
import type { FoundPage } from "#documents/engine.ts";
import { MANY_DOCUMENTS } from "#documents/find/rank/weights.ts";
import { shardOf } from "#documents/sharding/layout.ts";
import { aDocument, DATASOURCE, searchOf } from "../world.ts";
import { INSTANCE, LocalShards } from "./objects.ts";

const EVERYONE = { kind: "everyone", datasource: "", name: "" } as const;
const SEER = { email: "ada@acme.example", directoryGroups: [] };
const SHARDS = 4;

/** Puts documents with these texts in four shards. Their ids begin with a prefix. */
async function shardsWith(bodies: Readonly<Record<string, readonly string[]>>): Promise<LocalShards> {
  const shards = new LocalShards(SHARDS, { clock: () => 0 });
  const documents = Object.entries(bodies).flatMap(([prefix, texts]) =>
    texts.map((body, at) => aDocument(`${prefix}-${at}`, { title: "", body, principals: [EVERYONE] })),
  );
  await shards.documents.apply(
    INSTANCE,
    documents.map((document) => ({ act: "put", document })),
  );
  const counts = await Promise.all(shards.objects.map(({ calls }) => calls.count(documents[0]?.datasource ?? "")));
  expect(Math.min(...counts)).toBeGreaterThan(0);
  return shards;
}

const find = (shards: LocalShards, body: Readonly<Record<string, unknown>>): Promise<FoundPage> =>
  shards.documents.find(INSTANCE, searchOf(body), SEER);

const idsOf = (page: FoundPage) => page.documents.map(({ externalId }) => externalId);

describe("what depends on the documents of all shards", () => {
  it("corrects no word that a document of any shard contains", async () => {
    const shards = await shardsWith({ common: Array.from({ length: 40 }, () => "the harbour"), rare: ["the harbout"] });
    const page = await find(shards, { query: "harbout" });
    expect([idsOf(page), page.correctedWords]).toEqual([["rare-0"], []]);
    shards.close();
  });

  it("searches for a name as one word if some shard has it", async () => {
    const shards = await shardsWith({
      parts: Array.from({ length: 30 }, () => "the queue that we run has a max"),
      name: ["queue_run_max"],
    });
    const page = await find(shards, { query: "queue_run_max ", pageSize: 10 });
    expect([idsOf(page), page.next]).toEqual([["name-0"], null]);
    shards.close();
  });

  it("corrects a word that no shard has to what most documents of all shards contain", async () => {
    const shards = await shardsWith({
      harbour: Array.from({ length: 30 }, () => "the harbour"),
      // Some shard has more of these than of the others.
      harboum: Array.from({ length: 28 }, () => "the harboum"),
    });
    const pages = await Promise.all(
      shards.objects.map(({ calls }) => calls.findInShard(searchOf({ query: "harbouk" }), SEER, null)),
    );
    expect(new Set(pages.map(({ decisions }) => decisions.corrections.get(0))).size).toBe(2);
    const page = await find(shards, { query: "harbouk", pageSize: 60 });
    expect(page.correctedWords).toEqual([{ typed: "harbouk", found: "harbour" }]);
    expect(idsOf(page).filter((id) => id.startsWith("harboum-"))).toEqual([]);
    expect(idsOf(page)).toHaveLength(30);
    shards.close();
  });

  it("puts documents with every word first if all shards together have enough of them", async () => {
    const some = Array.from({ length: 20 }, () => "harbour harbour harbour almanac almanac almanac");
    const all = Array.from(
      { length: MANY_DOCUMENTS },
      () => `harbour almanac tide ${"apples pears plums ".repeat(30)}`,
    );
    const tide = Array.from({ length: 300 }, () => "tide");
    const shards = await shardsWith({ some, all, tide });
    const page = await find(shards, { query: "harbour almanac tide", pageSize: 100 });
    expect(idsOf(page).filter((id) => id.startsWith("some"))).toEqual([]);
    const fewer = await shardsWith({ some, all: all.slice(1), tide });
    const asked = await find(fewer, { query: "harbour almanac tide", pageSize: 100 });
    expect(idsOf(asked).some((id) => id.startsWith("some"))).toBe(true);
    for (const each of [shards, fewer]) each.close();
  });

  it("counts in facets only documents with every word if those of all shards fill a page", async () => {
    const shards = await shardsWith({
      all: Array.from({ length: 12 }, () => "harbour almanac"),
      some: Array.from({ length: 30 }, () => "harbour"),
    });
    const counted = async (pageSize: number) => {
      const { facets } = await find(shards, {
        query: "harbour almanac",
        pageSize,
        requestOptions: { facetBucketSize: 5 },
      });
      return facets.find(({ field }) => field === "datasource")?.buckets[0]?.count;
    };
    expect([await counted(12), await counted(13)]).toEqual([12, 42]);
    shards.close();
  });

  it("filters by a key of custom metadata in every shard if the person sees a value in any", async () => {
    const shards = await shardsWith({ page: Array.from({ length: 20 }, (_, at) => `review approved number ${at}`) });
    const key = { id: 11, name: "state", display: "state", facetName: "reviewstate", skipIndexing: false } as const;
    const group = {
      id: 1,
      name: "review",
      display: "review",
      version: 1,
      keys: [{ ...key, propertyType: "PICKLIST" as const }],
    };
    const values = [{ name: "state", display: "state", isList: false, values: ["approved"] }];
    const document = { datasource: DATASOURCE, externalId: "page-3" };
    const documents = [{ document, values }];
    expect(await shards.documents.putValues(INSTANCE, { group, documents })).toEqual([{ kind: "done" }]);
    for (const query of ["reviewstate:approved", "reviewstate:approved review"]) {
      expect(idsOf(await find(shards, { query, pageSize: 50 }))).toEqual(["page-3"]);
    }
    expect(idsOf(await find(shards, { query: "reviewstate:rejected", pageSize: 50 }))).toEqual([]);
    shards.close();
  });

  it("puts values on many documents, in any number of calls, and on none whose id is the name of another that is absent", async () => {
    const shards = new LocalShards(SHARDS, { clock: () => 0, pace: { work: 1, milliseconds: -1 } });
    const ids = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? `page:${at}` : `page-${at}`));
    await shards.documents.apply(
      INSTANCE,
      ids.map((id) => ({ act: "put", document: aDocument(id) })),
    );
    const alone = ids.map((externalId) => ({ datasource: "", externalId }));
    const whole = ids.map((externalId) => ({ datasource: DATASOURCE, externalId }));
    const planted = { datasource: "page", externalId: "4" };
    const documents = [...alone, ...whole, planted].map((document) => ({ document, values: [] }));
    const group = { id: 1, name: "review", display: "review", version: 1, keys: [] };
    expect(await shards.documents.putValues(INSTANCE, { group, documents })).toEqual([
      ...[...alone, ...whole].map(() => ({ kind: "done" })),
      { kind: "no_document" },
    ]);
    shards.close();
  });

  it("compares scores as if words were as rare in each shard as in all, on every page", async () => {
    const idsOfShard = (shard: number, count: number) =>
      Array.from({ length: count * SHARDS * 2 }, (_, at) => `page-${at}`)
        .filter((id) => shardOf(id, SHARDS) === shard)
        .slice(0, count);
    // The first shard alone has a single document with the word, which says least about it.
    const bodies = [0, 1, 2, 3].flatMap((shard) =>
      idsOfShard(shard, 20).map((id, at) => {
        const body = shard > 0 ? "the harbour" : at === 0 ? `the harbour ${"apples pears ".repeat(9)}` : "the tide";
        return aDocument(id, { title: "", body, principals: [EVERYONE] });
      }),
    );
    const foundIn = async (count: number, pageSize: number) => {
      const shards = new LocalShards(count, { clock: () => 0 });
      await shards.documents.apply(
        INSTANCE,
        bodies.map((document) => ({ act: "put", document })),
      );
      const ids: string[] = [];
      for (let position: string | null = null; ; ) {
        const page: FoundPage = await shards.documents.find(
          INSTANCE,
          searchOf({ query: "harbour ", pageSize }, { position }),
          SEER,
        );
        ids.push(...idsOf(page));
        if (page.next === null) break;
        position = page.next;
      }
      shards.close();
      return ids;
    };
    const [last] = idsOfShard(0, 1);
    expect((await foundIn(1, 100)).at(-1)).toBe(last);
    for (const pageSize of [100, 7]) expect((await foundIn(SHARDS, pageSize)).indexOf(last ?? "")).toBe(60);
  });

  it("decides once for all pages, also after the shard that decided has nothing left", async () => {
    const shards = await shardsWith({
      harbour: Array.from({ length: 40 }, () => "the harbour almanac"),
      // One shard alone has the word as it was typed.
      rare: ["the harbout"],
    });
    for (const query of ["harbout", "harbout almanac"]) {
      const whole = await find(shards, { query, pageSize: 100 });
      const ids: string[] = [];
      for (let position: string | null = null; ; ) {
        const page: FoundPage = await shards.documents.find(
          INSTANCE,
          searchOf({ query, pageSize: 7 }, { position }),
          SEER,
        );
        ids.push(...idsOf(page));
        expect([query, page.correctedWords]).toEqual([query, []]);
        if (page.next === null) break;
        position = page.next;
      }
      expect([query, ids]).toEqual([query, idsOf(whole)]);
    }
    shards.close();
  });

  it("orders all pages alike, also if what is left after the first would be a question", async () => {
    const some = Array.from({ length: 40 }, () => "harbour harbour harbour almanac almanac almanac");
    const all = Array.from(
      { length: MANY_DOCUMENTS },
      () => `harbour almanac tide ${"apples pears plums ".repeat(30)}`,
    );
    const shards = await shardsWith({ some, all, tide: Array.from({ length: 300 }, () => "tide") });
    const ids: string[] = [];
    for (let position: string | null = null; ; ) {
      const page: FoundPage = await shards.documents.find(
        INSTANCE,
        searchOf({ query: "harbour almanac tide", pageSize: 50 }, { position }),
        SEER,
      );
      ids.push(...idsOf(page));
      if (page.next === null) break;
      position = page.next;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, MANY_DOCUMENTS).filter((id) => !id.startsWith("all"))).toEqual([]);
    expect(ids.slice(MANY_DOCUMENTS, MANY_DOCUMENTS + 40).filter((id) => !id.startsWith("some"))).toEqual([]);
    shards.close();
  });
});
