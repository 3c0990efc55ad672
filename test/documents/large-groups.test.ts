import type { Principal, Seer } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { SINGLE_CHANGES_MAX, uploadGeneration } from "#documents/generations.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import type { RightsChange, RightsOutcome } from "#documents/rights/rights.ts";
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

const MEMBERS = 5000;
const ADA: Seer = { email: "member4999@acme.example", directoryGroups: [] };

it("a large group is deleted in steps, the last of which says so, and has no old members when described again", () => {
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

  const steps = outcomesOf(() => changeRights(store, "wiki", { act: "remove group", name: "staff" }), left);
  expect(steps).toEqual([...[4000, 3000, 2000, 1000, 0].map((members) => ["more", members]), ["done", 0]]);
  expect(finder.maySee("wiki", "one", ADA)).toBe(false);
  expect([describeStaff(), finder.maySee("wiki", "one", ADA), counted()]).toEqual(["done", false, 0]);
});

it("a backup brings back no member of a group that was deleted after its members were written", () => {
  const store = new SqliteStore();
  const names = Array.from({ length: 300 }, (_, at) => `group${at}`);
  const lines = names.flatMap((name): ExportLine[] => [
    { membership: { datasource: "wiki", groupName: name, memberKind: "user", member: "ada@acme.example" } },
    { group: { datasource: "wiki", name, isDeleted: true } },
  ]);
  expect(importPage(store, { backup: "b", from: 0, lines, isLast: true }, 0)).toBe(600);
  expect(store.exec("SELECT 1 FROM memberships")).toEqual([]);
});

it("an upload removes large groups in steps, each when its memberships are gone", () => {
  const store = new SqliteStore();
  const sizes = { large: 1500, "more than a step": 1001, small: 2 };
  for (const [name, members] of Object.entries(sizes)) {
    changeRights(store, "wiki", { act: "describe", described: { kind: "groups", name } });
    fillGroup(store, name, members);
  }
  const page = uploadPage({ kind: "groups", datasource: "wiki", isFirst: true, isLast: true, isUnchecked: true });
  takePage(store, page, 1000);
  const found = () =>
    store.exec<{ name: string; members: number }>(
      `SELECT name, (SELECT count(*) FROM memberships WHERE group_name = name) AS members
       FROM datasource_groups WHERE is_deleted = 0`,
    );
  const counts = () => Object.fromEntries(found().map(({ name, members }) => [name, members]));
  upkeepStep(store, 1000);
  expect(counts()).toEqual({ ...sizes, large: 500 });
  upkeepStep(store, 1000);
  expect(counts()).toEqual({ "more than a step": 501, small: 2 });
  upkeepStep(store, 1000);
  expect([counts(), store.exec("SELECT 1 FROM memberships")]).toEqual([{}, []]);
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
    change(store, { act: "remove group", name: "other" }, { act: "remove group", name: "other" });
    finishUpkeep(store);
    expect(memberships(store)).toEqual([{ member: "inner", groupName: "outer" }]);

    const target = new SqliteStore();
    restore(store, target);
    finishUpkeep(target);
    expect(memberships(target)).toEqual([{ member: "inner", groupName: "outer" }]);
  });
});

it("a user of many groups is removed in steps, the last of which says so, and has no old memberships when described again", () => {
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
      described: { kind: "memberships", membership: { groupName: `group${at}`, memberKind: "user", member: "busy" } },
    });
  const left = () => store.exec("SELECT 1 FROM memberships").length;
  describeUser();
  store.transaction(() => {
    for (let at = 0; at < 2500; at++)
      changeRights(store, "wiki", { act: "describe", described: { kind: "groups", name: `group${at}` } });
    for (let at = 0; at < 2500; at++) join(at);
  });
  expect(finder.maySee("wiki", "one", seer)).toBe(true);
  const steps = outcomesOf(() => changeRights(store, "wiki", { act: "remove user", userId: "busy" }), left);
  expect(steps).toEqual([
    ["more", 1500],
    ["more", 500],
    ["done", 0],
  ]);
  expect(finder.maySee("wiki", "one", seer)).toBe(false);
  describeUser();
  expect(finder.maySee("wiki", "one", seer)).toBe(false);
  expect([join(2499), finder.maySee("wiki", "one", seer)]).toEqual(["done", true]);
});

it("users of one email are removed in steps that count the memberships of all of them", () => {
  const store = new SqliteStore();
  const email = "ada@acme.example";
  store.transaction(() => {
    for (let at = 0; at < 600; at++)
      changeRights(store, "wiki", { act: "describe", described: { kind: "groups", name: `group${at}` } });
    for (const userId of ["one", "two"]) {
      changeRights(store, "wiki", {
        act: "describe",
        described: { kind: "users", user: { userId, email, name: "", isActive: true } },
      });
      for (let at = 0; at < 600; at++) {
        const membership = { groupName: `group${at}`, memberKind: "user", member: userId } as const;
        changeRights(store, "wiki", { act: "describe", described: { kind: "memberships", membership } });
      }
    }
  });
  const left = () => store.exec("SELECT 1 FROM memberships").length;
  const steps = outcomesOf(() => changeRights(store, "wiki", { act: "remove users", email }), left);
  expect(steps).toEqual([
    ["more", 200],
    ["done", 0],
  ]);
  expect(store.exec("SELECT 1 FROM datasource_users")).toEqual([]);
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

/** Repeats a change until it is done. @returns the outcomes, each with what was left after it */
function outcomesOf(change: () => RightsOutcome, left: () => number): (readonly [RightsOutcome, number])[] {
  const outcomes: (readonly [RightsOutcome, number])[] = [];
  do outcomes.push([change(), left()]);
  while (outcomes.at(-1)?.[0] === "more");
  return outcomes;
}

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
