import type { Principal, Seer } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import { exportPage } from "#documents/upkeep/export.ts";
import { importPage } from "#documents/upkeep/import.ts";
import { upkeepStep } from "#documents/upkeep/upkeep.ts";
import { putDocument } from "#documents/write/documents.ts";
import { expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { aDocument } from "./world.ts";

const MEMBERS = 5000;
const ADA: Seer = { email: "member4999@acme.example", directoryGroups: [] };

it("a large group is nobody's at once, goes in steps, and has no old members when it is described again", () => {
  const store = new SqliteStore();
  const finder = new Finder(store);
  const staff: Principal = { kind: "group", datasource: "wiki", name: "staff" };
  putDocument(store, aDocument("one", { datasource: "wiki", principals: [staff] }), 1, 0);
  const describe = () => changeRights(store, "wiki", { act: "describe group", name: "staff" });
  const left = () => store.exec<{ n: number }>("SELECT count(*) AS n FROM memberships")[0]?.n ?? 0;
  const counted = () => store.exec<{ n: number }>("SELECT memberships AS n FROM datasources")[0]?.n;
  describe();
  store.transaction(() => {
    for (let at = 0; at < MEMBERS; at += 1) {
      const membership = { groupName: "staff", memberKind: "user", member: `member${at}@acme.example` } as const;
      changeRights(store, "wiki", { act: "add member", membership });
    }
  });
  expect([left(), finder.maySee("wiki", "one", ADA)]).toEqual([MEMBERS, true]);

  changeRights(store, "wiki", { act: "remove group", name: "staff" });
  const afterRemoval = left();
  expect(afterRemoval).toBeGreaterThan(0);
  expect([finder.maySee("wiki", "one", ADA), describe()]).toEqual([false, "leaving"]);
  let most = MEMBERS - afterRemoval;
  for (let before = afterRemoval; left() > 0; before = left()) {
    upkeepStep(store, 1000);
    most = Math.max(most, before - left());
  }
  expect(most).toBeLessThanOrEqual(1000);
  expect([describe(), finder.maySee("wiki", "one", ADA), counted()]).toEqual(["done", false, 0]);
});

it("a backup that was made meanwhile brings none of its members back", () => {
  const source = new SqliteStore();
  changeRights(source, "wiki", { act: "describe group", name: "staff" });
  source.transaction(() => {
    for (let at = 0; at < 1500; at += 1) {
      const membership = { groupName: "staff", memberKind: "user", member: `member${at}@acme.example` } as const;
      changeRights(source, "wiki", { act: "add member", membership });
    }
  });
  changeRights(source, "wiki", { act: "remove group", name: "staff" });
  const store = new SqliteStore();
  let from = 0;
  for (let after: string | null = null; ; ) {
    const page = exportPage(source, after);
    from = importPage(store, { backup: "b", from, lines: page.lines, isLast: page.next === null }) ?? NaN;
    if (page.next === null) break;
    after = page.next;
  }
  expect(from).toBe(501);
  expect(changeRights(store, "wiki", { act: "describe group", name: "staff" })).toBe("leaving");
  upkeepStep(store, 1000);
  expect(changeRights(store, "wiki", { act: "describe group", name: "staff" })).toBe("done");
  expect(store.exec("SELECT 1 FROM memberships")).toEqual([]);
});
