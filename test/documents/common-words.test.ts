import { FIND_LIMITS } from "#documents/find/limits.ts";
import { mapCommonWords } from "#documents/upkeep/common-words.ts";
import { removeDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import type { ModelDocument } from "../support/search-model.ts";
import { seerOf, World } from "./world.ts";

/** So small that not all documents with both words are weighed. */
const LIMITS = {
  ...FIND_LIMITS,
  narrow: 0,
  entries: 2,
  entriesByWord: 0,
  weighed: 2,
  weighedTogether: 2,
  sample: 3,
  glances: 6,
  togetherEntries: 4,
};

const plain: ModelDocument = {
  title: [],
  body: [],
  tag: null,
  type: "Page",
  author: null,
  updatedDay: null,
  values: null,
  users: [],
  groups: [],
  intersections: [],
  everyone: true,
};

/**
 * Makes sixty documents with the words plan and budget, each with one of them in its title, and the eighth with both.
 */
function crowded(): World {
  const world = new World(LIMITS);
  for (let at = 0; at < 60; at++) {
    const title = at === 7 ? ["plan", "budget"] : [`at${at}`, at % 2 === 0 ? "plan" : "budget"];
    world.put(String(at), { ...plain, title, body: ["plan", "budget", "the"] });
  }
  return world;
}

describe("impact bitmaps of common words", () => {
  it("find the document that weighs most, however old it is", () => {
    const world = crowded();
    const first = () => world.page(seerOf("ben"), { query: "plan budget ", pageSize: 1 }).documents[0]?.externalId;
    expect(first()).not.toBe("7");
    world.mapCommonWords();
    expect(first()).toBe("7");
    world.store.close();
  });

  it("follow later writes and removals", () => {
    const world = crowded().mapCommonWords();
    const first = () => world.page(seerOf("ben"), { query: "plan budget ", pageSize: 1 }).documents[0]?.externalId;
    world.put("7", { ...plain, title: ["plan"], body: ["budget"] });
    world.put("3", { ...plain, title: ["plan", "budget"], body: ["plan", "budget", "the"] });
    expect(first()).toBe("3");
    const [row] = world.store.exec<{ id: number }>("SELECT id FROM documents WHERE external_id = '3'");
    removeDocument(world.store, row?.id ?? 0);
    world.put("7", { ...plain, title: ["plan", "budget"], body: ["plan", "budget", "the"] });
    expect(first()).toBe("7");
    world.store.close();
  });

  it("find a document with one of the words after those that the person may not see", () => {
    const world = new World(LIMITS);
    world.put("0", { ...plain, title: ["plan"] });
    for (let at = 1; at < 40; at++) {
      world.put(String(at), { ...plain, title: ["plan"], body: ["budget"], everyone: false, users: ["ann"] });
    }
    const found = () => {
      const { documents } = world.page(seerOf("ben"), { query: "plan budget ", pageSize: 5 });
      return documents.map(({ externalId }) => externalId);
    };
    expect(found()).toEqual(["0"]);
    world.mapCommonWords();
    expect(found()).toEqual(["0"]);
    world.store.close();
  });

  it("are made again when there are twice as many documents, and only then, without words that join others", () => {
    const world = crowded().mapCommonWords();
    const sets = () =>
      world.store.exec<{ id: number; words: number }>("SELECT id, length(hashes) / 4 AS words FROM common_words");
    expect(sets()).toEqual([{ id: 1, words: 61 }]);
    expect(mapCommonWords(world.store, 1)).toBe(true);
    for (let at = 60; at < 120; at++) world.put(String(at), { ...plain, body: ["plan", "review"] });
    world.mapCommonWords();
    expect(sets().map(({ id }) => id)).toEqual([2]);
    expect(world.store.exec("SELECT 1 FROM impact_bitmaps WHERE words = 1")).toEqual([]);
    expect(world.page(seerOf("ben"), { query: "plan review ", pageSize: 1 }).missingWords).toEqual([]);
    world.store.close();
  });
});
