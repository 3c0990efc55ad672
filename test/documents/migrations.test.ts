import { applyChanges } from "#documents/apply.ts";
import { INDEX_VERSION } from "#documents/index-rules.ts";
import { isBehind, migrate, migrateRest, type Step } from "#documents/migrations.ts";
import { setState, stateOf, type Store } from "#documents/store.ts";
import { upkeepStep } from "#documents/upkeep/upkeep.ts";
import { describe, expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { aDocument } from "./world.ts";

const HOUR = 3600;

/** Stands for the first step, which has made the tables. */
const FIRST: Step = { oldestReader: 1, change: () => undefined };

/** A made-up second step: a column, which its rest fills for two documents at a time. */
const SECOND: Step = {
  oldestReader: 1,
  change: (store) => void store.exec("ALTER TABLE documents ADD COLUMN title_length INTEGER"),
  rest(store, after) {
    const [row] = store.exec<{ last: number | null }>(
      "SELECT max(id) AS last FROM (SELECT id FROM documents WHERE id > ?1 ORDER BY id LIMIT 2)",
      after,
    );
    if (typeof row?.last !== "number") return null;
    store.exec("UPDATE documents SET title_length = length(title) WHERE id > ?1 AND id <= ?2", after, row.last);
    return row.last;
  },
};

/** One that code of version 1 can't serve. */
const BREAKING: Step = {
  oldestReader: 2,
  change: (store) => void store.exec("ALTER TABLE documents RENAME COLUMN title TO heading"),
};

/** Returns an object's tables as the first version left them, with five documents. */
function released(): SqliteStore {
  const store = new SqliteStore();
  for (let at = 0; at < 5; at += 1) put(store, `page ${at}`);
  return store;
}

function put(store: Store, id: string): void {
  applyChanges(store, [{ act: "put", document: aDocument(id) }], 0);
}

function lengths(store: Store): (number | null)[] {
  const rows = store.exec<{ length: number | null }>("SELECT title_length AS length FROM documents ORDER BY id");
  return rows.map(({ length }) => length);
}

function finishRest(store: Store): void {
  for (let parts = 0; !migrateRest(store, [FIRST, SECOND]); parts += 1) if (parts > 9) throw new Error("no end");
}

it("tables from before the first version are not served, and stay as they are", () => {
  const store = released();
  store.exec("DELETE FROM state WHERE name = 'oldest reader'");
  store.exec("DROP TABLE term_vectors");
  expect(migrate(store)).toMatch(/^storage_behind_code: .*version 0/);
  expect(store.exec("SELECT 1 FROM sqlite_master WHERE name = 'term_vectors'")).toEqual([]);
});

describe("a step of an object's tables", () => {
  it("runs once, keeps the documents, and leaves long work to the alarm, which does some of it at a time", () => {
    const store = released();
    const steps = [FIRST, SECOND];
    expect(migrate(store, steps)).toBe(null);
    expect(migrate(store, steps)).toBe(null);
    expect([stateOf(store, "schema"), isBehind(store)]).toEqual([2, true]);
    expect(migrateRest(store, steps)).toBe(false);
    expect(lengths(store).filter((length) => length !== null)).toHaveLength(2);
    put(store, "written in between");
    finishRest(store);
    expect(lengths(store)).not.toContain(null);
    expect(isBehind(store)).toBe(false);
  });

  it("leaves nothing to do in a new object", () => {
    const store = new SqliteStore();
    expect([isBehind(store), migrateRest(store), stateOf(store, "served by")]).toEqual([false, true, 1]);
  });

  it("does the rest again after older code has served the tables and written without it", () => {
    const store = released();
    migrate(store, [FIRST, SECOND]);
    finishRest(store);
    expect(migrate(store, [FIRST])).toBe(null);
    put(store, "written by older code");
    expect([stateOf(store, "schema"), lengths(store).includes(null)]).toEqual([2, true]);
    expect(migrate(store, [FIRST, SECOND])).toBe(null);
    finishRest(store);
    expect(lengths(store)).not.toContain(null);
  });

  it("keeps code away that is older than its oldest reader, which changes nothing", () => {
    const store = released();
    expect(migrate(store, [FIRST, BREAKING])).toBe(null);
    const before = store.exec("SELECT name, value FROM state");
    expect(migrate(store, [FIRST])).toBe(
      "storage_ahead_of_code: the tables are at version 2, and this code knows 1: they need 2",
    );
    expect(store.exec("SELECT name, value FROM state")).toEqual(before);
    // A later step that more code could read doesn't let it in again.
    expect(migrate(store, [FIRST, BREAKING, { ...SECOND, oldestReader: 1 }])).toBe(null);
    expect(migrate(store, [FIRST])).toMatch(/^storage_ahead_of_code: .* version 3, .* need 2$/);
    expect(migrate(store, [FIRST, BREAKING])).toBe(null);
  });

  it("wakes the alarm if documents were indexed by other rules, and only then", () => {
    const store = released();
    expect(isBehind(store)).toBe(false);
    setState(store, "index version", INDEX_VERSION - 1);
    expect(isBehind(store)).toBe(true);
    for (let steps = 0; isBehind(store); steps += 1) {
      if (steps > 99) throw new Error("no end");
      upkeepStep(store, HOUR);
    }
  });
});
