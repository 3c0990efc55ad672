import type { DocumentSearch, FoundPage, IndexableDocument } from "#documents/engine.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { areCopies } from "#documents/find/page/likeness.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { INSTANCE, LocalShards } from "./sharding/objects.ts";
import { aDocument, searchOf, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };
const principals = [{ kind: "everyone", datasource: "", name: "" }] as const;

const paragraph = (of: string, words: number) => Array.from({ length: words }, (_, at) => `${of}${at}`).join(" ");
const COMMON = paragraph("handbook", 300);

/** A page of the handbook, which says how many days of leave there are. */
function page(id: string, { days = "28", other = "", title = "Annual leave", more = {} } = {}) {
  const body = `Everybody has ${days} days of leave a year. ${COMMON} ${other}`;
  return aDocument(id, { title, body, principals: [...principals], ...more });
}

const OTHERS = Array.from({ length: 12 }, (_, at) =>
  aDocument(`other${at}`, {
    title: `Topic ${at}`,
    body: `leave ${paragraph(`topic${at}x`, 200)}`,
    principals: [...principals],
  }),
);

function worldWith(documents: readonly IndexableDocument[], limits = FIND_LIMITS): World {
  const world = new World(limits);
  for (const one of documents) putDocument(world.store, one, 1, 0);
  return world;
}

const found = ({ documents }: FoundPage) =>
  documents.map(({ externalId, copies }) => (copies ? `${externalId} +${copies}` : externalId));

/** Returns all pages. */
function allPages(world: World, query: string, more: Partial<DocumentSearch> = {}): string[] {
  const ids: string[] = [];
  for (let position: string | null = null; ; ) {
    const one: FoundPage = world.page(seer, { query, pageSize: 5 }, { copies: "together", position, ...more });
    ids.push(...found(one));
    if (one.next === null) return ids;
    position = one.next;
  }
}

describe("documents that are nearly the same", () => {
  const copies = [page("a"), page("b", { other: "printed in March" }), page("c", { other: "Impressum" })];

  it.each([FIND_LIMITS.narrow, 0])("are one result, on all pages (%i weighed)", (narrow) => {
    const world = worldWith([...copies, ...OTHERS], { ...FIND_LIMITS, narrow });
    const all = allPages(world, "days leave ");
    expect(all[0]).toMatch(/^[abc] \+2$/);
    expect(all.slice(1).toSorted()).toEqual(OTHERS.map(({ externalId }) => externalId).toSorted());
    world.store.close();
  });

  it("count in facets and in the number of results", () => {
    const world = worldWith([...copies, ...OTHERS]);
    const asked = { query: "leave ", requestOptions: { facetBucketSize: 5 } };
    const { total, facets } = world.page(seer, asked, { copies: "together" });
    expect([total?.documents, facets[0]?.buckets[0]?.count]).toEqual([15, 15]);
    world.store.close();
  });

  it("stay apart if they differ in what is asked: in the passage, or in the title", () => {
    const world = worldWith([page("uk"), page("de", { days: "30" }), page("at", { title: "Annual leave in Austria" })]);
    expect(allPages(world, "days leave ").toSorted()).toEqual(["de", "uk +1"]);
    expect(allPages(world, "days leave austria ").toSorted()).toEqual(["at", "de", "uk"]);
    expect(allPages(world, "handbook250 ").toSorted()).toHaveLength(1);
    world.store.close();
  });

  it("stay apart if they only share a passage, or are short", () => {
    const licence = "Licensed to those who have a licence.";
    const same = [1, 2].map((at) =>
      aDocument(`same${at}`, {
        title: "Notice",
        body: `${licence} ${paragraph(`text${at}x`, 200)}`,
        principals: [...principals],
      }),
    );
    const short = [1, 2].map((at) =>
      aDocument(`short${at}`, { title: "Notice", body: licence, principals: [...principals] }),
    );
    const world = worldWith([...same, ...short]);
    expect(allPages(world, "licence ")).toHaveLength(4);
    world.store.close();
  });

  it("are listed apart, with what makes them the same", () => {
    const world = worldWith([...copies, ...OTHERS]);
    const { documents } = world.page(seer, { query: "days leave ", pageSize: 20 }, { copies: "apart" });
    const [one] = documents;
    const like = documents.filter((other) => areCopies(one?.likeness, other.likeness));
    expect(like.map(({ externalId }) => externalId).toSorted()).toEqual(["a", "b", "c"]);
    world.store.close();
  });

  it("are one result across shards, too", async () => {
    const shards = new LocalShards(4, { clock: () => 0 });
    const many = Array.from({ length: 8 }, (_, at) => page(`copy${at}`));
    await shards.documents.apply(
      INSTANCE,
      [...many, ...OTHERS].map((document) => ({ act: "put", document })),
    );
    const ids: string[] = [];
    for (let position: string | null = null; ; ) {
      const one: FoundPage = await shards.documents.find(
        INSTANCE,
        searchOf({ query: "days leave " }, { copies: "together", position }),
        seer,
      );
      ids.push(...found(one));
      if (one.next === null) break;
      position = one.next;
    }
    expect(ids[0]).toMatch(/^copy\d \+7$/);
    expect(ids).toHaveLength(1 + OTHERS.length);
    shards.close();
  });

  it("stay apart in different datasources, so that nobody hides a document of another by a copy of their own", async () => {
    const forged = page("forged", { other: "Ask nobody.", more: { datasource: "forgers" } });
    const world = worldWith([page("a"), page("b"), forged, ...OTHERS]);
    const all = allPages(world, "days leave ").slice(0, 3);
    expect(all.toSorted()).toEqual([expect.stringMatching(/^[ab] \+1$/), "forged", expect.stringMatching(/^other/)]);
    world.store.close();
    const shards = new LocalShards(4, { clock: () => 0 });
    const many = Array.from({ length: 8 }, (_, at) => page(`copy${at}`, { more: { datasource: `of${at % 2}` } }));
    await shards.documents.apply(
      INSTANCE,
      many.map((document) => ({ act: "put", document })),
    );
    const one = await shards.documents.find(INSTANCE, searchOf({ query: "days leave " }, { copies: "together" }), seer);
    expect(found(one)).toEqual([expect.stringMatching(/\+3$/), expect.stringMatching(/\+3$/)]);
    shards.close();
  });

  it("are recognized only among documents that the person may see", () => {
    const secret = page("secret", { more: { principals: [] } });
    const world = worldWith([secret, page("a"), ...OTHERS]);
    expect(allPages(world, "days leave ")[0]).toBe("a");
    world.store.close();
  });
});

describe("ties between languages", () => {
  const german = "der die das und ist nicht mit von für auf eine werden";
  const english = "the of and is not with from for that which are this";
  const documents = [
    aDocument("de", { title: "Portal", body: `${german} gatehouse`, principals: [...principals] }),
    aDocument("en", { title: "Portal", body: `${english} gatehouse`, principals: [...principals] }),
    aDocument("de2", { title: "Portal", body: `${german} gatehouse`, principals: [...principals] }),
  ];
  const first = (query: string, language: "de" | "en" | null) => {
    const world = worldWith(documents);
    const preferences = { languages: ["en", "de"] as const, recentAt: null, language };
    const { documents: all } = world.page(seer, { query }, { copies: "together", preferences });
    world.store.close();
    return all.map(({ externalId }) => externalId.slice(0, 2)).join(" ");
  };

  it("go to the language of the question, or of the person's app", () => {
    expect(first("gatehouse ", "en")).toBe("en de de");
    expect(first("gatehouse ", "de")).toBe("de de en");
    expect(first("what is the gatehouse ", "de")).toBe("en de de");
  });

  it("don't depend on whether the language of a short text is clear", () => {
    const short = aDocument("short", { title: "Portal", body: "gatehouse", principals: [...principals] });
    const long = aDocument("long", { title: "Portal", body: `gatehouse ${english}`, principals: [...principals] });
    const world = worldWith([long, short]);
    const preferences = { languages: ["en"] as const, recentAt: null, language: "en" as const };
    const scores = (copies?: "apart") =>
      world.finder
        .findInShard(searchOf({ query: "gatehouse " }, { preferences, ...(copies && { copies }) }), seer, null)
        .places.map(({ score }) => score);
    expect(scores("apart")).toEqual(scores());
    world.store.close();
  });
});
