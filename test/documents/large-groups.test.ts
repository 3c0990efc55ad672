import type { Principal, Seer } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { SINGLE_CHANGES_MAX, uploadGeneration } from "#documents/generations.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import type { RightsChange } from "#documents/rights/rights.ts";
import { exportPage } from "#documents/upkeep/export.ts";
import { importPage } from "#documents/upkeep/import.ts";
import type { ExportLine, ExportPage } from "#documents/upkeep/keeping.ts";
import { startUpload } from "#documents/uploads/uploads.sql.ts";
import { upkeepStep } from "#documents/upkeep/upkeep.ts";
import { takePage } from "#documents/uploads/take-page.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { uploadPage } from "./upload-page.ts";
import { aDocument } from "./world.ts";

/** The refusal of what would meet the old memberships of a deleted group or user. */
const LEAVING = expect.objectContaining({ reason: expect.stringMatching(/^(?:group|user)_leaving$/) }) as object;

const MEMBERS = 5000;
const ADA: Seer = { email: "member4999@acme.example", directoryGroups: [] };

it("a deleted large group has no members immediately, is removed in steps, and has no old members when described again", () => {
  const store = new SqliteStore();
  const finder = new Finder(store);
  const staff: Principal = { kind: "group", datasource: "wiki", name: "staff" };
  putDocument(store, aDocument("one", { datasource: "wiki", principals: [staff] }), 1, 0);
  const describeStaff = () =>
    changeRights(store, "wiki", { act: "describe", described: { kind: "groups", name: "staff" } });
  const left = () => store.exec<{ n: number }>("SELECT count(*) AS n FROM memberships")[0]?.n ?? 0;
  const counted = () => store.exec<{ n: number }>("SELECT memberships AS n FROM datasources")[0]?.n;
  describeStaff();
  fillGroup(store, "staff", MEMBERS);
  expect([left(), finder.maySee("wiki", "one", ADA)]).toEqual([MEMBERS, true]);

  changeRights(store, "wiki", { act: "remove group", name: "staff" });
  const afterRemoval = left();
  expect(afterRemoval).toBeGreaterThan(0);
  expect([finder.maySee("wiki", "one", ADA), describeStaff()]).toEqual([false, LEAVING]);
  let most = MEMBERS - afterRemoval;
  for (let before = afterRemoval; left() > 0; before = left()) {
    upkeepStep(store, 1000);
    most = Math.max(most, before - left());
  }
  expect(most).toBeLessThanOrEqual(1000);
  finishUpkeep(store);
  expect([describeStaff(), finder.maySee("wiki", "one", ADA), counted()]).toEqual(["done", false, 0]);
});

it("a backup that is made while a deleted group is removed brings back none of its members", () => {
  const source = new SqliteStore();
  changeRights(source, "wiki", { act: "describe", described: { kind: "groups", name: "staff" } });
  fillGroup(source, "staff", 1500);
  changeRights(source, "wiki", { act: "remove group", name: "staff" });
  const store = new SqliteStore();
  expect(restore(source, store)).toBe(501);
  expect(changeRights(store, "wiki", { act: "describe", described: { kind: "groups", name: "staff" } })).toEqual(
    LEAVING,
  );
  upkeepStep(store, 1000);
  expect(changeRights(store, "wiki", { act: "describe", described: { kind: "groups", name: "staff" } })).toBe("done");
  expect(store.exec("SELECT 1 FROM memberships")).toEqual([]);
});

it("many users of one email are removed in steps, until one returns that none is left", () => {
  const store = new SqliteStore();
  const email = "ada@acme.example";
  store.transaction(() => {
    for (let at = 0; at < 650; at++) {
      const user = { userId: `u${at}`, email, name: "", isActive: true };
      changeRights(store, "wiki", { act: "describe", described: { kind: "users", user } });
    }
  });
  const left = () => store.exec<{ n: number }>("SELECT count(*) AS n FROM datasource_users")[0]?.n ?? 0;
  const step = () => changeRights(store, "wiki", { act: "remove users", email });
  expect([step(), left(), step(), left(), step(), left()]).toEqual(["more", 350, "more", 50, "done", 0]);
});

describe("a membership of a deleted group", () => {
  const inner = { groupName: "outer", memberKind: "group", member: "inner" } as const;
  const change = (store: SqliteStore, ...changes: readonly RightsChange[]) =>
    changes.map((one) => changeRights(store, "wiki", one));
  const memberships = (store: SqliteStore) => store.exec("SELECT member, group_name AS groupName FROM memberships");

  it("is kept once it was accepted, whichever other group is deleted, and in a backup", () => {
    const store = new SqliteStore();
    const outcomes = change(
      store,
      { act: "describe", described: { kind: "groups", name: "outer" } },
      { act: "describe", described: { kind: "groups", name: "inner" } },
      { act: "remove group", name: "inner" },
      { act: "describe", described: { kind: "memberships", membership: inner } },
      { act: "describe", described: { kind: "groups", name: "other" } },
    );
    expect(new Set(outcomes)).toEqual(new Set(["done"]));
    fillGroup(store, "other", 1500);
    change(store, { act: "remove group", name: "other" });
    finishUpkeep(store);
    expect(memberships(store)).toEqual([{ member: "inner", groupName: "outer" }]);

    const target = new SqliteStore();
    restore(store, target);
    finishUpkeep(target);
    expect(memberships(target)).toEqual([{ member: "inner", groupName: "outer" }]);
  });

  it("is refused while the group's old memberships are removed, alone and in an upload", () => {
    const store = new SqliteStore();
    change(
      store,
      { act: "describe", described: { kind: "groups", name: "outer" } },
      { act: "describe", described: { kind: "groups", name: "inner" } },
    );
    fillGroup(store, "inner", 1500);
    change(store, { act: "remove group", name: "inner" });
    expect(change(store, { act: "describe", described: { kind: "memberships", membership: inner } })).toEqual([
      LEAVING,
    ]);
    const page = uploadPage({
      kind: "memberships",
      datasource: "wiki",
      groupName: "outer",
      isFirst: true,
      isLast: true,
      items: [{ kind: "memberships", membership: inner }],
    });
    expect(takePage(store, page, 0)).toMatchObject({ reason: "group_leaving" });
    finishUpkeep(store);
    expect(change(store, { act: "describe", described: { kind: "memberships", membership: inner } })).toEqual(["done"]);
    expect(memberships(store)).toEqual([{ member: "inner", groupName: "outer" }]);
  });

  it("is removed with those of many others in one step", () => {
    const store = new SqliteStore();
    const names = Array.from({ length: 300 }, (_, at) => `group${at}`);
    const lines = names.flatMap((name): ExportLine[] => [
      { membership: { datasource: "wiki", groupName: name, memberKind: "user", member: "ada@acme.example" } },
      { group: { datasource: "wiki", name, isDeleted: true, isLeaving: true } },
    ]);
    expect(importPage(store, { backup: "b", from: 0, lines, isLast: true }, 0)).toBe(600);
    upkeepStep(store, 1000);
    expect(memberships(store)).toEqual([]);
  });
});

it("a removed user of many groups is in none immediately, and has no old memberships when described again, even in a backup", () => {
  const store = new SqliteStore();
  const finder = new Finder(store);
  const email = "busy@acme.example";
  const seer = { email, directoryGroups: [] };
  const last: Principal = { kind: "group", datasource: "wiki", name: "group2499" };
  putDocument(store, aDocument("one", { datasource: "wiki", principals: [last] }), 1, 0);
  const user = { userId: "busy", email, name: "", isActive: true };
  const describeUser = () => changeRights(store, "wiki", { act: "describe", described: { kind: "users", user } });
  const join = (at: number) =>
    changeRights(store, "wiki", {
      act: "describe",
      described: {
        kind: "memberships",
        membership: { groupName: `group${at}`, memberKind: "user", member: "busy" },
      },
    });
  const left = () => store.exec("SELECT 1 FROM memberships").length;
  describeUser();
  store.transaction(() => {
    for (let at = 0; at < 2500; at++)
      changeRights(store, "wiki", { act: "describe", described: { kind: "groups", name: `group${at}` } });
    for (let at = 0; at < 2500; at++) join(at);
  });
  expect(finder.maySee("wiki", "one", seer)).toBe(true);
  changeRights(store, "wiki", { act: "remove user", userId: "busy" });
  expect([left(), finder.maySee("wiki", "one", seer), join(0)]).toEqual([1500, false, LEAVING]);
  describeUser();
  expect(finder.maySee("wiki", "one", seer)).toBe(false);
  const copy = new SqliteStore();
  restore(store, copy);
  expect(copy.exec("SELECT 1 FROM memberships")).toEqual([]);
  upkeepStep(store, 1000);
  expect(left()).toBe(500);
  finishUpkeep(store);
  expect([left(), finder.maySee("wiki", "one", seer), join(2499)]).toEqual([0, false, "done"]);
  expect(finder.maySee("wiki", "one", seer)).toBe(true);
});

it("an upload is given up after more single changes than are remembered, and the alarm forgets these", () => {
  const store = new SqliteStore();
  const target = { kind: "users", datasource: "wiki", groupName: "", uploadId: "one" } as const;
  startUpload(store, target, "a", uploadGeneration(store), 0);
  const remove = (userId: string) => changeRights(store, "wiki", { act: "remove user", userId });
  const stage = () => store.exec<{ stage: string }>("SELECT stage FROM bulk_uploads")[0]?.stage;
  store.exec("UPDATE bulk_uploads SET single_changes = ?1", SINGLE_CHANGES_MAX - 1);
  remove("ada");
  expect(stage()).toBe("receiving");
  remove("ben");
  expect(stage()).toBe("given up");
  const noted = () => store.exec("SELECT 1 FROM single_changes").length;
  expect(noted()).toBe(2);
  upkeepStep(store, 1000);
  expect(noted()).toBe(0);
});

function fillGroup(store: SqliteStore, groupName: string, members: number): void {
  store.transaction(() => {
    for (let at = 0; at < members; at += 1) {
      const membership = { groupName, memberKind: "user", member: `member${at}@acme.example` } as const;
      changeRights(store, "wiki", { act: "describe", described: { kind: "memberships", membership } });
    }
  });
}

function finishUpkeep(store: SqliteStore): void {
  for (let steps = 0; upkeepStep(store, 1000) !== null; steps += 1) if (steps > 100) throw new Error("no end");
}

/** Restores a backup and returns how many lines it had. */
function restore(source: SqliteStore, target: SqliteStore): number {
  let from = 0;
  for (let after: string | null = null; ; ) {
    const { lines, next }: ExportPage = exportPage(source, after);
    from = importPage(target, { backup: "b", from, lines, isLast: next === null }, 0) ?? NaN;
    if (next === null) return from;
    after = next;
  }
}
