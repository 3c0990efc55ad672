import { applyChanges } from "#documents/apply.ts";
import type { Seer } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { listDocuments } from "#documents/inspection/inspect.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import { exportPage } from "#documents/upkeep/export.ts";
import { importPage } from "#documents/upkeep/import.ts";
import type { ExportLine } from "#documents/upkeep/keeping.ts";
import { upkeepStep } from "#documents/upkeep/upkeep.ts";
import { expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { aDocument } from "./world.ts";

const HOUR = 3600;

/** Ada is in the directory's group with the name that the datasource's pipeline deleted. */
const ADA: Seer = { email: "ada@acme.example", directoryGroups: ["board"] };

/** Makes an instance with a document for a group that was deleted. */
function anInstance(): SqliteStore {
  const store = new SqliteStore();
  changeRights(store, "wiki", { act: "describe", described: { kind: "groups", name: "board" } });
  const principals = [{ kind: "group", datasource: "wiki", name: "board" }] as const;
  put(store, "minutes", { principals });
  changeRights(store, "wiki", { act: "remove group", name: "board" });
  return store;
}

function put(store: SqliteStore, id: string, more: object = {}): void {
  applyChanges(store, [{ act: "put", document: aDocument(id, { datasource: "wiki", ...more }) }], 0);
}

/** Returns a backup's lines in the order in which they are restored. */
function linesOf(store: SqliteStore): ExportLine[] {
  const lines: ExportLine[] = [];
  for (let after: string | null = null; ; ) {
    const page = exportPage(store, after);
    lines.push(...page.lines);
    if (page.next === null) break;
    after = page.next;
  }
  return [...lines.filter((line) => !("document" in line)), ...lines.filter((line) => "document" in line)];
}

function finishUpkeep(store: SqliteStore): void {
  for (let steps = 0; upkeepStep(store, HOUR) !== null; steps += 1) if (steps > 100) throw new Error("no end");
}

function empty(store: SqliteStore): void {
  applyChanges(store, [{ act: "remove", datasource: "wiki", externalId: "minutes" }], 0);
}

it("a deleted group stays deleted in a restore, whatever the clean-up does between its pages", () => {
  const lines = linesOf(anInstance());
  const store = new SqliteStore();
  expect(lines.map((line) => Object.keys(line)[0])).toEqual(["group", "document"]);
  expect(importPage(store, { backup: "b", from: 0, lines: lines.slice(0, 1), isLast: false }, HOUR)).toBe(1);
  finishUpkeep(store);
  expect(importPage(store, { backup: "b", from: 1, lines: lines.slice(1), isLast: true }, HOUR)).toBe(2);
  expect(new Finder(store).maySee("wiki", "minutes", ADA)).toBe(false);
  // After the restore, the mark is removed with the last document that names the group.
  empty(store);
  finishUpkeep(store);
  expect(store.exec("SELECT 1 FROM datasource_groups")).toEqual([]);
});

it("a restore that only asked for its position has not begun, and doesn't overwrite later writes", () => {
  const lines = linesOf(anInstance());
  const store = new SqliteStore();
  expect(importPage(store, { backup: "b", from: 0, lines: [], isLast: false }, HOUR)).toBe(0);
  put(store, "minutes", { title: "Live" });
  for (const page of [[], lines]) {
    expect(importPage(store, { backup: "b", from: 0, lines: page, isLast: true }, HOUR)).toBe(null);
  }
  expect(new Finder(store).maySee("wiki", "minutes", ADA)).toBe(true);
});

it.each(["b", "another"])("an instance that was emptied accepts a backup again: %s", (backup) => {
  const lines = linesOf(anInstance());
  const store = new SqliteStore();
  expect(importPage(store, { backup: "b", from: 0, lines, isLast: true }, HOUR)).toBe(2);
  expect(importPage(store, { backup: "b", from: 0, lines, isLast: true }, HOUR)).toBe(2);
  empty(store);
  expect(importPage(store, { backup, from: 0, lines: [], isLast: false }, HOUR)).toBe(0);
  expect(importPage(store, { backup, from: 0, lines, isLast: true }, HOUR)).toBe(2);
  expect(new Finder(store).maySee("wiki", "minutes", ADA)).toBe(false);
  expect(store.exec("SELECT documents, groups FROM datasources")).toEqual([{ documents: 1, groups: 1 }]);
});

it("a restore brings back the hashes by which pipelines recognize documents; older backups have none", () => {
  const source = new SqliteStore();
  put(source, "plan", { contentHash: "h1" });
  const hashes = (lines: readonly ExportLine[]) => {
    const store = new SqliteStore();
    importPage(store, { backup: "b", from: 0, lines, isLast: true }, HOUR);
    return listDocuments(store, "wiki", {}).documents.map(({ contentHash }) => contentHash);
  };
  const lines = linesOf(source);
  expect(hashes(lines)).toEqual(["h1"]);
  const older = JSON.parse(JSON.stringify(lines).replace('"contentHash":"h1",', "")) as ExportLine[];
  expect(hashes(older)).toEqual([null]);
});
