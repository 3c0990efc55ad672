import { serialize } from "node:v8";
import { describe, expect, it } from "vitest";
import { applyChanges } from "#documents/apply.ts";
import { batchesOf } from "#documents/batches.ts";
import { Finder } from "#documents/find/find.ts";
import type { Store } from "#documents/store.ts";
import { removeUnheld } from "#documents/upkeep/unheld.ts";
import { STEP_WORK } from "#documents/work.ts";
import { resolveClass } from "#documents/write/access-classes.ts";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import type { DocumentChange, IndexableDocument, Principal } from "#documents/engine.ts";
import { callsOfPage, isResolvedBefore, partsOf, workOfChange, workOfItem } from "#documents/steps.ts";
import { uploadPage } from "./upload-page.ts";
import { aDocument, DATASOURCE } from "./document.ts";

const people = (count: number) =>
  Array.from(
    { length: count },
    (_, at): Principal => ({ kind: "person", datasource: "", name: `p${at}@acme.example` }),
  );
const intersections = (count: number) =>
  Array.from({ length: count }, (_, at): Principal => {
    const groups = Array.from({ length: 20 }, (_group, nth) => `g${at}-${nth}`);
    return { kind: "intersection", datasource: DATASOURCE, name: JSON.stringify(groups) };
  });

const put = (principals: readonly Principal[], externalId = "0"): DocumentChange => ({
  act: "put",
  document: aDocument(externalId, { title: "", principals }),
});

it.each([
  ["few principals", people(3)],
  ["hundreds of people", people(400)],
  ["thousands of people", people(8000)],
  ["twenty thousand people", people(20_000)],
  ["intersections of thousands of groups", intersections(400)],
])("no step does more than it may, however many principals documents name: with %s", (_what, principals) => {
  const documents = Array.from({ length: 12 }, (_document, at) => aDocument(String(at), { title: "", principals }));
  const changes: readonly (readonly DocumentChange[])[] = [
    documents.map((document) => ({ act: "put", document })),
    documents.map(({ externalId }) => ({ act: "permit", datasource: DATASOURCE, externalId, principals })),
  ];
  for (const step of changes.flatMap((all) => [...batchesOf(all, workOfChange, STEP_WORK)])) {
    expect(step.reduce((sum, change) => sum + workOfChange(change), 0)).toBeLessThanOrEqual(STEP_WORK);
  }
  const page = uploadPage({ items: documents.map((document) => ({ kind: "documents", document })) });
  for (const { items } of partsOf(page, workOfItem, STEP_WORK)) {
    expect(items.reduce((sum, item) => sum + workOfItem(item), 0)).toBeLessThanOrEqual(STEP_WORK);
  }
});

describe("a page", () => {
  const pageWith = (count: number, given: Partial<IndexableDocument>) =>
    uploadPage({
      isLast: true,
      items: Array.from({ length: count }, (_, at) => ({ kind: "documents", document: aDocument(String(at), given) })),
    });
  const callsFor = (count: number, given: Partial<IndexableDocument>) => [...callsOfPage(pageWith(count, given))];

  it("is one call with as many usual documents as it may have", () => {
    expect(callsFor(500, { body: "letters ".repeat(550), principals: people(5) })).toHaveLength(1);
    expect(callsFor(0, {})).toMatchObject([{ isFirstPart: true, isLastPart: true }]);
  });

  it.each([
    ["long texts", 9, { body: "letters ".repeat(110_000), summary: "letters ".repeat(100_000) }],
    ["long lists of principals", 40, { principals: people(20_000) }],
  ])("is sent in calls of a few megabytes, in order, with %s", (_what, count, given) => {
    const calls = callsFor(count, given);
    for (const call of calls) expect(serialize(call).byteLength).toBeLessThan(5_000_000);
    expect(calls.map(({ isFirstPart }) => isFirstPart)).toEqual(calls.map((_, at) => at === 0));
    expect(calls.map(({ isLastPart }) => isLastPart)).toEqual(calls.map((_, at) => at === calls.length - 1));
    expect(calls.flatMap(({ items }) => items)).toEqual(pageWith(count, given).items);
  });
});

describe("a long list of principals", () => {
  /** Counts the statements of each step. */
  function resolved(store: SqliteStore, list: readonly Principal[]) {
    let statements = 0;
    const counted: Store = {
      exec(statement, ...values) {
        statements++;
        return store.exec(statement, ...values);
      },
    };
    const sizes: number[] = [];
    const steps = resolveClass(counted, list);
    for (;;) {
      statements = 0;
      const step = store.transaction(() => steps.next());
      sizes.push(statements);
      if (step.done === true) return { sizes, id: step.value };
    }
  }

  it("is resolved in steps of bounded size, and gives the same class in any order", () => {
    const store = new SqliteStore();
    const list = people(20_000);
    expect(isResolvedBefore(list)).toBe(true);
    const { sizes, id } = resolved(store, list);
    // Calling SQLite costs more than what it does for a name.
    expect(Math.max(...sizes)).toBeLessThan(10);
    expect(sizes.length).toBeGreaterThan(10);
    expect(resolved(store, list.toReversed()).id).toBe(id);
    const several = resolved(store, intersections(400));
    expect(Math.max(...several.sizes)).toBeLessThan(20);
    expect(several.sizes.length).toBeGreaterThan(3);
  });

  it("is held at once by who is in it, also if they searched while it was resolved", () => {
    const store = new SqliteStore();
    const list = people(3000);
    const seer = { email: "p2999@acme.example", directoryGroups: [] };
    const finder = new Finder(store);
    applyChanges(store, [put([{ kind: "everyone", datasource: "", name: "" }], "other")], 0);
    const steps = resolveClass(store, list);
    for (;;) {
      const step = store.transaction(() => steps.next());
      expect(finder.maySee(DATASOURCE, "long", seer)).toBeUndefined();
      expect(finder.maySee(DATASOURCE, "other", seer)).toBe(true);
      if (step.done !== true) continue;
      applyChanges(store, [put(list, "long")], 0, new Map([[list, step.value]]));
      break;
    }
    expect(finder.maySee(DATASOURCE, "long", seer)).toBe(true);
    expect(finder.maySee(DATASOURCE, "long", { ...seer, email: "eve@acme.example" })).toBe(false);
  });

  it("leaves nothing if it is never used", () => {
    const store = new SqliteStore();
    const steps = resolveClass(store, people(3000));
    for (let step = 0; step < 6; step++) steps.next();
    while (!removeUnheld(store, 0));
    for (const table of ["access_classes", "access_class_principals", "principals"]) {
      expect(store.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n).toBe(0);
    }
  });
});
