import { mergeIndexes } from "#documents/upkeep/merge-indexes.ts";
import { describe, expect, it } from "vitest";
import { seerOf, World, aDocument } from "./world.ts";
import { putDocument } from "#documents/write/documents.ts";

describe("the segments of the index", () => {
  it("are merged into one each in steps, and again after a quarter of the documents was written", () => {
    const world = new World();
    const { store } = world;
    const write = (from: number, until: number) => {
      for (let at = from; at < until; at++) {
        store.transaction(() => putDocument(store, aDocument(String(at), { body: `common word${at}` }), 1, 0));
      }
    };
    const pieces = () =>
      ["impacts", "postings"].map((index) => store.exec(`SELECT DISTINCT segid FROM ${index}_idx`).length);
    const merge = () => {
      let steps = 0;
      while (!store.transaction(() => mergeIndexes(store, 10))) steps++;
      return steps;
    };
    const found = () => world.page(seerOf("ben"), { query: "word3 ", pageSize: 5 }).documents.length;
    write(0, 50);
    expect(Math.min(...pieces())).toBeGreaterThan(1);
    expect(mergeIndexes(store, 51)).toBe(true);
    expect(merge()).toBeGreaterThan(3);
    expect([pieces(), found()]).toEqual([[1, 1], 1]);
    write(50, 60);
    expect(merge()).toBe(0);
    write(60, 70);
    expect(merge()).toBeGreaterThan(3);
    expect([pieces(), found()]).toEqual([[1, 1], 1]);
    store.close();
  });
});
