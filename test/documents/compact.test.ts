import { applyChanges } from "#documents/apply.ts";
import { Finder } from "#documents/find/find.ts";
import type { FoundPage } from "#documents/engine.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { inTurns, Reading } from "#documents/find/reading.ts";
import { stateOf } from "#documents/store.ts";
import { compactRows } from "#documents/upkeep/compact.ts";
import { exportPage } from "#documents/upkeep/export.ts";
import type { ExportPage } from "#documents/upkeep/keeping.ts";
import { removeUnheld } from "#documents/upkeep/unheld.ts";
import { upkeepStep } from "#documents/upkeep/upkeep.ts";
import { describeDocument, putDocument, removeDocument } from "#documents/write/documents.ts";
import { writeInStep } from "#documents/write/write-step.ts";
import { describe, expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { aDocument, DATASOURCE, searchOf, seerOf, TINY_LIMITS, World } from "./world.ts";

const highest = (store: SqliteStore) =>
  store.exec<{ id: number | null }>("SELECT max(id) AS id FROM documents")[0]?.id ?? 0;
const rows = (store: SqliteStore, table: string) =>
  store.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n ?? 0;

function put(store: SqliteStore, id: string, more: Parameters<typeof aDocument>[1] = {}): void {
  store.transaction(() => applyChanges(store, [{ act: "put", document: aDocument(id, more) }], 0));
}

function remove(store: SqliteStore, id: string): void {
  store.transaction(() => applyChanges(store, [{ act: "remove", datasource: DATASOURCE, externalId: id }], 0));
}

describe("the ids of rows", () => {
  it("don't grow with edits", () => {
    const store = new SqliteStore();
    for (let edit = 0; edit < 1100; edit++) put(store, String(edit % 5), { title: `Edit ${edit}` });
    put(store, "new");
    expect([highest(store), rows(store, "doc_values")]).toEqual([6, 1]);
  });

  it("don't grow with documents that come and go, and doc values and impact bitmaps shrink again", () => {
    const store = new SqliteStore();
    for (let at = 0; at < 1100; at++) put(store, String(at));
    expect(rows(store, "doc_values")).toBe(2);
    for (let at = 0; at < 1090; at++) remove(store, String(at));
    while (!compactRows(store));
    expect([highest(store), rows(store, "doc_values")]).toEqual([10, 1]);
    put(store, "next");
    expect(highest(store)).toBe(11);
  });

  it.each([
    ["few", FIND_LIMITS],
    ["many", TINY_LIMITS],
  ])(
    "change without a change of what anybody finds, in which order: somebody who sees %s documents",
    (_how, limits) => {
      const world = new World(limits);
      const { store } = world;
      for (let at = 0; at < 60; at++) {
        const principals = at % 3 === 0 ? [] : aDocument("").principals;
        const id = putDocument(
          store,
          aDocument(String(at), { title: `Plan ${at % 4}`, body: "budget ".repeat((at * 7) % 5), principals }),
          1,
          0,
        );
        describeDocument(store, id, { words: `label${at % 3}`, terms: [["k1", `value ${at % 2}`]] });
      }
      world.mapCommonWords();
      for (let at = 0; at < 60; at++) {
        if (at % 3 === 1) continue;
        const [row] = store.exec<{ id: number }>("SELECT id FROM documents WHERE external_id = ?1", String(at));
        if (row) writeInStep(store, (step) => removeDocument(store, row.id, step));
      }
      const found = (finder: Finder) =>
        ["plan", "budget plan 1", "label2", "type:page"].map((query) => {
          const { documents, facets } = world.page.call({ finder } as World, seerOf("ben"), { query, pageSize: 50 });
          return [documents.map(({ externalId, title }) => [externalId, title]), facets];
        });
      const before = found(new Finder(store, limits));
      expect(highest(store)).toBe(59);
      while (!compactRows(store, 0));
      expect(highest(store)).toBe(20);
      expect(found(new Finder(store, limits))).toEqual(before);
    },
  );

  it("change between two pages of an export without leaving out a document", () => {
    const store = new SqliteStore();
    for (let at = 0; at < 1200; at++) put(store, String(at), { body: `word${at}` });
    for (let at = 0; at < 600; at++) remove(store, String(at));
    const exported: string[] = [];
    for (let next: string | null = null, pages = 0; ; pages++) {
      const page: ExportPage = exportPage(store, next);
      exported.push(...page.lines.flatMap((line) => ("document" in line ? [line.document.externalId] : [])));
      if (page.next === null) break;
      next = page.next;
      if (pages === 1) while (!compactRows(store, 0));
    }
    expect(exported.toSorted((one, other) => Number(one) - Number(other))).toEqual(
      Array.from({ length: 600 }, (_, at) => String(at + 600)),
    );
  });

  it.each([
    ["few", FIND_LIMITS],
    ["many", TINY_LIMITS],
  ])("change between two pages of a search that finds %s documents at once without leaving one out", (_how, limits) => {
    const world = new World(limits);
    const { store } = world;
    const everyone = { kind: "everyone", datasource: "", name: "" } as const;
    for (let at = 0; at < 90; at++) put(store, String(at), { body: "budget", principals: [everyone] });
    // An id that is left is then that of another document.
    for (let at = 0; at < 90; at++) if (at % 3 > 0) remove(store, String(at));
    const ids: string[] = [];
    for (let position: string | null = null, pages = 0; ; pages++) {
      const page = world.page(seerOf("ben"), { query: "budget", pageSize: 4 }, { position }, new Finder(store, limits));
      ids.push(...page.documents.map(({ externalId }) => externalId));
      if (page.next === null || pages > 60) break;
      position = page.next;
      if (pages === 5) while (!compactRows(store, 0));
    }
    expect(new Set(ids).size).toBe(30);
    if (limits === FIND_LIMITS) expect(ids).toHaveLength(30);
  });

  it("change between two turns of a search without changing what it finds", async () => {
    const world = new World();
    const { store } = world;
    const everyone = { kind: "everyone", datasource: "", name: "" } as const;
    for (let at = 0; at < 90; at++) put(store, String(at), { body: `budget word${at}`, principals: [everyone] });
    for (let at = 0; at < 90; at++) if (at % 3 > 0) remove(store, String(at));
    const search = searchOf({ query: "budget word21", pageSize: 50 });
    const limits = { ...FIND_LIMITS, narrow: 1 };
    const ids = (page: FoundPage) => page.documents.map(({ externalId }) => externalId);
    const expected = ids(new Finder(store, limits).find(search, seerOf("ben")));
    let turns = 0;
    const found = await inTurns((reading) => {
      turns += 1;
      if (turns === 2) while (!compactRows(store, 0));
      return new Finder(store, limits).find(search, seerOf("ben"), reading);
    }, new Reading(1));
    expect([turns > 1, ids(found)]).toEqual([true, expected]);
  });

  it("leave room for documents that are written meanwhile", () => {
    const store = new SqliteStore();
    for (let at = 0; at < 12; at++) put(store, String(at), { body: `word${at} `.repeat(30_000) });
    for (let at = 0; at < 9; at++) remove(store, String(at));
    expect(compactRows(store, 0)).toBe(false);
    expect(stateOf(store, "compacting")).toBeGreaterThan(1);
    put(store, "new", { title: "Arrived meanwhile" });
    while (!compactRows(store, 0));
    expect(highest(store)).toBe(4);
    const ids = store.exec<{ id: number }>("SELECT external_id AS id FROM documents ORDER BY documents.id");
    expect(ids.map(({ id }) => String(id))).toEqual(["9", "10", "11", "new"]);
  });
});

it("an instance that is emptied gives back what its documents took", () => {
  const store = new SqliteStore();
  for (let at = 0; at < 1100; at++) {
    put(store, String(at), {
      title: `Title ${at}`,
      body: `word${at} running`,
      authorName: `Author ${at}`,
      principals: [{ kind: "intersection", datasource: DATASOURCE, name: JSON.stringify([`a${at}`, `b${at}`]) }],
    });
  }
  for (let at = 0; at < 1100; at++) remove(store, String(at));
  for (let steps = 0; upkeepStep(store, 0) === 0 && steps < 1000; steps++);
  while (!removeUnheld(store, 0));
  const tables = [
    "vocabulary",
    "stems",
    "doc_values",
    "impact_bitmaps",
    "common_words",
    "term_vectors",
    "unlearnt",
    "filter_terms",
  ];
  const rights = ["access_classes", "access_class_principals", "principals", "intersection_groups"];
  for (const table of [...tables, ...rights]) expect(`${table}: ${rows(store, table)}`).toBe(`${table}: 0`);
});
