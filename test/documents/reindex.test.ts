import { reindexOld } from "#documents/upkeep/reindex.ts";
import { setState, stateOf } from "#documents/store.ts";
import { putDocument } from "#documents/write/documents.ts";
import { expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const EVERYONE = { kind: "everyone", datasource: "", name: "" } as const;
const seer = { email: "ada@acme.example", directoryGroups: [] };

it("documents that were indexed by older rules are indexed again, some in each step of the clean-up", () => {
  const world = new World();
  const { store } = world;
  const long = "filler ".repeat(20_000);
  for (let at = 0; at < 5; at++) {
    putDocument(store, aDocument(`page ${at}`, { body: `older ${long}`, principals: [EVERYONE] }), 1, 0);
  }
  expect(reindexOld(store)).toBe(true);
  const length = stateOf(store, "length");
  // Stands for rules by which the same text has other words.
  store.exec("UPDATE documents SET body = replace(body, 'older', 'newer words')");
  setState(store, "index version", 1);
  let steps = 0;
  while (!reindexOld(store)) steps += 1;
  expect(steps).toBeGreaterThan(2);
  expect(world.all(seer, { query: "newer " })).toHaveLength(5);
  expect(world.all(seer, { query: "older " })).toEqual([]);
  expect(stateOf(store, "length")).toBe(length + 5);
});
