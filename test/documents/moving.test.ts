import { OPERATOR } from "#administration/authority.ts";
import { DocumentActs } from "#administration/document-acts.ts";
import { applyChanges } from "#documents/apply.ts";
import type { DocumentChange } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { adoptGroup, forgetGroup } from "#documents/metadata/groups.ts";
import type { MetadataGroup } from "#documents/metadata/metadata.ts";
import { putValues } from "#documents/metadata/values.ts";
import { erase } from "#documents/moving/erase.ts";
import { givePage } from "#documents/moving/give.ts";
import { nextHolding, requireReadable, requireWritable } from "#documents/moving/holding.ts";
import type { EngineName, Engines } from "#documents/moving/engines.ts";
import { DocumentMoves } from "#documents/moving/move.ts";
import { MOVED_TABLES, ROW_KINDS } from "#documents/moving/rows.sql.ts";
import { hold, holdingOf } from "#documents/moving/state.sql.ts";
import { takeLines } from "#documents/moving/take.ts";
import { tally } from "#documents/moving/tally.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import type { Membership } from "#documents/rights/rights.ts";
import { SCHEMA } from "#documents/schema.sql.ts";
import { exportPage } from "#documents/upkeep/export.ts";
import type { ExportedDocument } from "#documents/upkeep/keeping.ts";
import { upkeepStep } from "#documents/upkeep/upkeep.ts";
import { removeNext } from "#documents/uploads/removal.ts";
import { takePage } from "#documents/uploads/take-page.ts";
import type { PagePart } from "#documents/uploads/uploads.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { timeIs } from "../support/time.ts";
import { INSTANCE, Ledger, OTHER, transferOf } from "./moving-world.ts";
import { runs } from "../support/properties.ts";
import { uploadPage } from "./upload-page.ts";
import { aDocument, DATASOURCE } from "./world.ts";

/** Some pipeline's request, with a number that distinguishes it from others of its kind, and the time. */
type Request = (store: SqliteStore, number: number, now: number) => unknown;

const pick = <Item>(items: readonly Item[], number: number): Item => items[number % items.length] as Item;

const GROUPS = ["board", "sales", "staff"];
const EMAILS = ["ada@acme.example", "ben@acme.example", "carla@acme.example"];

function documentOf(number: number) {
  const group = { kind: "group", datasource: DATASOURCE, name: pick(GROUPS, number) } as const;
  const person = { kind: "person", datasource: "", name: pick(EMAILS, number) } as const;
  return aDocument(String(number % 9), {
    title: `Number ${number}`,
    body: `apple${number % 5} pear`,
    principals: number % 4 === 0 ? [group, person] : number % 4 === 1 ? [group] : [person],
  });
}

function apply(store: SqliteStore, change: DocumentChange, now: number) {
  return applyChanges(store, [change], now);
}

const nameOf = (number: number) => ({ datasource: DATASOURCE, externalId: String(number % 9) });

const membershipOf = (number: number): Membership => ({
  groupName: pick(GROUPS, number),
  memberKind: number % 3 === 0 ? "group" : "user",
  member: number % 3 === 0 ? pick(GROUPS, number + 1) : `u${number % 4}`,
});

function groupOf(number: number): MetadataGroup {
  const id = 1 + Math.floor(number / 50);
  const key = (at: number, display: string) => ({
    id: id * 10 + at,
    name: display.toLowerCase(),
    display,
    facetName: `review${display.toLowerCase()}`,
    propertyType: "TEXT" as const,
    skipIndexing: number % 3 === 0,
  });
  const keys = [key(1, "Note"), ...(number % 2 === 0 ? [key(2, "More")] : [])];
  return { id, name: "review", display: "Review", version: number + 1, keys };
}

function pageOf(number: number, more: Partial<PagePart>): PagePart {
  return uploadPage({
    uploadId: `upload ${Math.floor(number / 40)}`,
    hash: `page ${number}`,
    forceRestart: true,
    items: [documentOf(number), documentOf(number + 3)].map((document) => ({ kind: "documents", document })),
    ...more,
  });
}

const REQUESTS: readonly Request[] = [
  (store, number, now) => apply(store, { act: "put", document: documentOf(number) }, now),
  (store, number, now) => apply(store, { act: "put", document: documentOf(number) }, now),
  (store, number, now) => apply(store, { act: "remove", ...nameOf(number) }, now),
  (store, number, now) =>
    apply(store, { act: "permit", ...nameOf(number), principals: documentOf(number + 1).principals }, now),
  (store, number) =>
    changeRights(store, DATASOURCE, { act: "describe", described: { kind: "groups", name: pick(GROUPS, number) } }),
  (store, number) =>
    changeRights(store, DATASOURCE, {
      act: "describe",
      described: {
        kind: "users",
        user: { userId: `u${number % 4}`, email: pick(EMAILS, number), name: "Somebody", isActive: number % 5 > 0 },
      },
    }),
  (store, number) =>
    changeRights(store, DATASOURCE, {
      act: "describe",
      described: { kind: "memberships", membership: membershipOf(number) },
    }),
  (store, number) => changeRights(store, DATASOURCE, { act: "remove member", membership: membershipOf(number) }),
  (store, number) => changeRights(store, DATASOURCE, { act: "remove user", userId: `u${number % 4}` }),
  (store, number) => changeRights(store, DATASOURCE, { act: "remove group", name: pick(GROUPS, number) }),
  (store, number) => adoptGroup(store, groupOf(number)),
  (store, number) => number % 7 === 0 && forgetGroup(store, "review", groupOf(number).id - 1),
  (store, number) =>
    putValues(store, { ...nameOf(number), ...(number % 3 === 0 ? { datasource: "" } : {}) }, groupOf(99), [
      { name: "note", display: "Note", isList: false, values: [`plum${number % 3}`] },
    ]),
  (store, number, now) => takePage(store, pageOf(number, { isFirst: true }), now),
  (store, number, now) => takePage(store, pageOf(number, {}), now),
  (store, number, now) => takePage(store, pageOf(number, { isLast: true }), now),
  (store, _number, now) => removeNext(store, { kind: "documents", datasource: DATASOURCE, groupName: "" }, now),
  (store, _number, now) => upkeepStep(store, now),
];

/** Two engines, and a third store that gets the same requests and never moves. */
class Worlds {
  readonly stores = { object: new SqliteStore(), [OTHER]: new SqliteStore() };
  readonly still = new SqliteStore();
  readonly ledger = new Ledger();
  now = 1_000_000;
  refused = 0;

  /** @param meet is called before and after each call of an engine. If it throws, the driver is interrupted there */
  moves(meet: () => Promise<void> = async () => undefined): DocumentMoves {
    const transfers = {
      object: transferOf(this.stores.object, meet),
      [OTHER]: transferOf(this.stores[OTHER], meet),
    };
    const engines = { names: () => [], transferOf: (engine: EngineName) => transfers[engine as typeof OTHER] };
    timeIs(() => this.now);
    return new DocumentMoves(this.ledger, engines);
  }

  /** Makes a request to the engine of the placement, as the Worker does. If that refuses, the caller has to wait. */
  request(kind: number, number: number): void {
    const store = this.stores[this.ledger.engine as typeof OTHER];
    try {
      store.transaction(() => {
        requireWritable(holdingOf(store));
        REQUESTS[kind % REQUESTS.length]?.(store, number, this.now);
      });
    } catch (error) {
      if (!String(error).includes("documents_")) throw error;
      this.refused += 1;
      return;
    }
    this.still.transaction(() => REQUESTS[kind % REQUESTS.length]?.(this.still, number, this.now));
  }

  isReadable(): boolean {
    try {
      requireReadable(holdingOf(this.stores[this.ledger.engine as typeof OTHER]));
      return true;
    } catch {
      return false;
    }
  }

  async finish(): Promise<void> {
    for (let calls = 0; calls < 200; calls += 1) {
      const due = await this.moves().goOn(INSTANCE, 10_000);
      if (due === null || due.inSeconds > 3600) return;
    }
    throw new Error("the move has no end");
  }

  /** Expects the engine with the documents to contain and find the same as the store that never moved. */
  expectWhole(): void {
    const store = this.stores[this.ledger.engine as typeof OTHER];
    expect(holdingOf(store)).toBe("serving");
    expect(contentOf(store)).toEqual(contentOf(this.still));
    for (const email of EMAILS) {
      const found = (each: SqliteStore) => seenBy(each, email);
      expect(found(store)).toEqual(found(this.still));
    }
  }
}

function contentOf(store: SqliteStore) {
  // Several laps: what the first releases may be named by rows that it had already passed.
  for (let lap = 0; lap < 3; lap += 1) while (upkeepStep(store, 1_000_000) === 1_000_000);
  const lines: unknown[] = [];
  for (let after: string | null = null; ; ) {
    const page = exportPage(store, after);
    lines.push(...page.lines.map((line) => JSON.stringify("document" in line ? inOrder(line.document) : line)));
    if (page.next === null) break;
    after = page.next;
  }
  const rows = ROW_KINDS.map((kind) => {
    const { table, key, columns, only = "true" } = MOVED_TABLES[kind];
    return store.exec(
      `SELECT ${[...key, ...columns].join(", ")} FROM ${table} WHERE ${only} ORDER BY ${key.join(", ")}`,
    );
  });
  const counts = store.exec(
    `SELECT name, documents, users, groups, memberships FROM datasources
     WHERE documents + users + groups + memberships > 0 ORDER BY name`,
  );
  const values = store.exec(
    `SELECT d.external_id, m.group_id, m.entries, m.version, d.metadata_words FROM document_metadata m
     JOIN documents d ON d.id = m.document_id ORDER BY 1, 2`,
  );
  const totals = store.exec(
    "SELECT name, value FROM state WHERE name IN ('documents', 'length') AND value > 0 ORDER BY name",
  );
  return { lines: new Set(lines), rows, counts, values, totals, tally: tally(store) };
}

/** Sorts permissions, which are a set. */
function inOrder({ principals, ...document }: ExportedDocument) {
  return { ...document, principals: principals.map((principal) => JSON.stringify(principal)).sort() };
}

function seenBy(store: SqliteStore, email: string): string[] {
  const finder = new Finder(store);
  const seer = { email, directoryGroups: ["board"] };
  return Array.from({ length: 9 }, (_, id) => String(id)).filter((id) => finder.maySee(DATASOURCE, id, seer) === true);
}

const requests = (least: number, most: number) =>
  fc.array(fc.tuple(fc.nat(REQUESTS.length - 1), fc.nat(120)), { minLength: least, maxLength: most });

describe("moving an instance's documents between engines", () => {
  it("empties each table of an engine except those that say where the documents are", () => {
    const worlds = new Worlds();
    for (let kind = 0; kind < REQUESTS.length; kind++) for (const number of [1, 2, 3]) worlds.request(kind, number);
    const store = worlds.stores.object;
    for (const [turn, to] of (["giving", "sealed", "left"] as const).entries())
      hold(store, { turn: turn + 1, move: 1, to });
    while (!erase(store, 3));
    const tables = SCHEMA.flatMap(
      (statement) => /CREATE (?:VIRTUAL )?TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1] ?? [],
    );
    const kept = tables.filter((table) => store.exec(`SELECT 1 FROM ${table}`).length > 0);
    expect(kept).toEqual(["state", "transfer"]);
  });

  it("ignores a page that was read early and arrives after others", () => {
    const [source, target] = [new SqliteStore(), new SqliteStore()];
    apply(source, { act: "put", document: documentOf(1) }, 0);
    hold(source, { turn: 1, move: 1, to: "giving" });
    hold(target, { turn: 1, move: 1, to: "taking" });
    const early = { move: 1, page: 0, ...givePage(source, 1, null) };
    apply(source, { act: "remove", ...nameOf(1) }, 0);
    for (let page = 0, next: string | null = null; page < 3; page += 1) {
      const given = givePage(source, 1, next);
      next = takeLines(target, { move: 1, page, ...given }).next;
    }
    takeLines(target, early);
    expect(tally(target)).toEqual(tally(source));
  });

  it("logs what a failing server says, and doesn't show it to administrators", async () => {
    const worlds = new Worlds();
    worlds.ledger.begin(OTHER);
    const failing = worlds.moves(() => Promise.reject(new Error("CONNECT_TIMEOUT database.internal:5432")));
    await failing.goOn(INSTANCE, 10_000);
    expect(worlds.ledger.move?.problem).toBe(
      "An engine did not answer, or failed: the log says why, under documents_move_failed",
    );
  });

  it("refuses an order of an earlier turn or of another move", () => {
    const store = new SqliteStore();
    hold(store, { turn: 4, move: 4, to: "giving" });
    hold(store, { turn: 5, move: 4, to: "sealed" });
    hold(store, { turn: 6, move: 4, to: "giving" });
    expect(() => hold(store, { turn: 5, move: 4, to: "sealed" })).toThrow("turn 6 has begun");
    expect(() => hold(store, { turn: 7, move: 7, to: "sealed" })).toThrow("the engine is in move 4");
    expect(() => givePage(store, 3, null)).toThrow("in move 4");
    expect(() => erase(store, 7)).toThrow("the engine is giving");
  });

  it("seals no engine that isn't giving, and lets none serve or leave before its copy is complete", () => {
    const holdings = ["serving", "giving", "sealed", "left", "taking", "ready"] as const;
    const state = { turn: 1, move: 1, pages: 0, next: null, isEmpty: true };
    const follows = (holding: (typeof holdings)[number], to: (typeof holdings)[number]) => {
      try {
        return nextHolding({ ...state, holding }, { turn: 2, move: 1, to }) === to;
      } catch {
        return false;
      }
    };
    expect(holdings.map((to) => [to, holdings.filter((from) => follows(from, to))])).toEqual([
      ["serving", ["serving", "giving", "sealed", "ready"]],
      ["giving", ["serving", "giving", "sealed"]],
      ["sealed", ["giving", "sealed"]],
      ["left", ["sealed", "left", "taking", "ready"]],
      ["taking", ["serving", "left", "taking", "ready"]],
      ["ready", ["taking", "ready"]],
    ]);
  });

  it("refuses to copy into an engine with other documents, and to read from an engine that the documents left", () => {
    const store = new SqliteStore();
    apply(store, { act: "put", document: documentOf(1) }, 0);
    expect(() => hold(store, { turn: 1, move: 1, to: "taking" })).toThrow("documents of its own");
    for (const [turn, to] of (["giving", "sealed", "left"] as const).entries()) hold(store, { turn, move: 1, to });
    expect(() => requireReadable(holdingOf(store))).toThrow("documents_elsewhere");
    expect(() => requireWritable("sealed")).toThrow("documents_sealed");
  });

  it("copies into an engine that was left once nothing of its old documents is there, including the index", async () => {
    const worlds = new Worlds();
    const { object, [OTHER]: other } = worlds.stores;
    const secret = (number: number) =>
      aDocument(`old ${number}`, { body: "merger", principals: documentOf(1).principals });
    // One more than a step of the removal deletes.
    const puts = Array.from({ length: 1001 }, (_, number) => ({ act: "put", document: secret(number) }) as const);
    object.transaction(() => applyChanges(object, puts, 0));
    for (const [turn, to] of (["giving", "sealed", "left"] as const).entries()) hold(object, { turn, move: 1, to });
    const everyone = { kind: "everyone", datasource: "", name: "" } as const;
    apply(other, { act: "put", document: aDocument("new", { body: "pear", principals: [everyone] }) }, 0);
    worlds.ledger.engine = OTHER;
    for (let turn = 0; turn < 5; turn += 1) worlds.ledger.begin("object");
    await worlds.finish();
    expect(worlds.ledger.engine).toBe("object");
    const rows = (table: string) => object.exec<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]?.count;
    expect([rows("documents"), rows("term_vectors")]).toEqual([1, 1]);
    expect(object.exec("SELECT word FROM vocabulary WHERE word = 'merger'")).toEqual([]);
    expect(object.exec("SELECT documents FROM datasources WHERE documents > 0")).toEqual([{ documents: 1 }]);
  });

  it("doesn't let a late driver erase what another one copied", () => {
    const [source, target] = [new SqliteStore(), new SqliteStore()];
    apply(source, { act: "put", document: documentOf(1) }, 0);
    hold(source, { turn: 1, move: 1, to: "giving" });
    hold(target, { turn: 1, move: 1, to: "taking" });
    takeLines(target, { move: 1, page: 0, ...givePage(source, 1, null) });
    const taken = contentOf(target);
    expect(erase(target, 1)).toBe(true);
    expect(contentOf(target)).toEqual(taken);
  });

  it("doesn't tell an engine to serve again if its state was read before the end of a move", async () => {
    const worlds = new Worlds();
    worlds.request(0, 1);
    worlds.ledger.begin(OTHER);
    await worlds.moves().goOn(INSTANCE, -1);
    const answers = async () => undefined;
    const object = transferOf(worlds.stores.object, answers);
    const slow = transferOf(worlds.stores[OTHER], answers);
    const engines: Pick<Engines, "names" | "transferOf"> = {
      names: () => ["object", OTHER],
      transferOf: (engine) =>
        engine === "object"
          ? object
          : {
              ...slow,
              async transferState() {
                const state = await slow.transferState();
                await worlds.finish();
                return state;
              },
            },
    };
    const unused = () => Promise.reject(new Error("the placement was changed"));
    const ledger = {
      find: () => worlds.ledger.find(),
      placementOf: () => worlds.ledger.placementOf(),
      begin: unused,
      cancel: unused,
      erase: unused,
      restorePlacement: unused,
      rewind: unused,
    };
    const by = { instance: { id: INSTANCE, name: "acme" }, actor: "ada", authority: OPERATOR };
    const acts = new DocumentActs({ takeEffect: answers, by }, { moves: ledger, engines });
    await expect(acts.restorePlacement()).rejects.toThrow("A move has just ended");
    worlds.request(0, 2);
    worlds.expectWhole();
  });

  it("keeps everything once that pipelines write while it goes there and back, whatever is interrupted", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        requests(10, 60),
        requests(100, 300),
        fc.array(fc.nat(60), { maxLength: 12 }),
        fc.infiniteStream(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(40))),
        async (before, during, breaks, delays) => {
          const worlds = new Worlds();
          for (const [kind, number] of before) worlds.request(kind, number);
          const left = [...during];
          let meetings = 0;
          let next = breaks.shift() ?? Infinity;
          const meet = async () => {
            for (let wait = Number(delays.next().value); wait > 0; wait -= 1) await Promise.resolve();
            const isSealed = worlds.ledger.move?.stage === "sealed";
            const request = left.shift() ?? (isSealed ? ([0, 1] as const) : undefined);
            if (request) worlds.request(...request);
            expect(worlds.isReadable()).toBe(true);
            meetings += 1;
            if (meetings < next) return;
            meetings = 0;
            next = breaks.shift() ?? Infinity;
            throw new Error("killed");
          };
          for (const to of [OTHER, "object"] as const) {
            // The move there was given up, so there is none back.
            if (worlds.ledger.engine === to) break;
            worlds.ledger.begin(to);
            const moves = worlds.moves(meet);
            // Two drivers at once, like the alarm and a command, each interrupted now and then.
            const drive = async () => {
              for (let calls = 0; calls < 12; calls += 1) await moves.goOn(INSTANCE, 10_000);
            };
            await Promise.all([drive(), drive()]);
            await worlds.finish();
            if (worlds.ledger.engine === to) continue;
            // Given up after the last attempt: the documents are where they were.
            expect(worlds.ledger.move?.stage).toBe("returned");
          }
          refused += worlds.refused;
          worlds.expectWhole();
        },
      ),
      { numRuns: runs(3), endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(0);
  });
});
