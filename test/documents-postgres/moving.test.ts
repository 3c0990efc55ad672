import type { DocumentChange } from "#documents/engine.ts";
import type { MetadataGroup } from "#documents/metadata/metadata.ts";
import { DocumentMoves } from "#documents/moving/move.ts";
import type { EngineName } from "#documents/moving/placement.ts";
import type { EngineTransfer } from "#documents/moving/transfer.ts";
import type { PagePart } from "#documents/uploads/uploads.ts";
import { ERASED_TABLES } from "#documents-postgres/moving/erase.ts";
import { SCHEMA_STEPS } from "#documents-postgres/schema.sql.ts";
import { expect, it } from "vitest";
import { Ledger, OTHER, transferOf } from "../documents/moving-world.ts";
import { uploadPage } from "../documents/upload-page.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { type Calls, linesOf, objectOf } from "./moved.ts";
import { PostgresWorld } from "./world.ts";

const everyone = { kind: "everyone", datasource: "", name: "" } as const;
const board = { kind: "group", datasource: DATASOURCE, name: "board" } as const;

const put = (number: number): DocumentChange => ({
  act: "put",
  document: aDocument(String(number), { body: `apple ${number}`, principals: number % 2 === 0 ? [board] : [everyone] }),
});

function groupOf(version: number): MetadataGroup {
  const key = { name: "note", display: "Note", facetName: "reviewnote", propertyType: "TEXT" } as const;
  return {
    id: 1,
    name: "review",
    display: "Review",
    version,
    keys: [{ id: 1, ...key, skipIndexing: version % 2 === 0 }],
  };
}

function pageOf(number: number, more: Partial<PagePart>): PagePart {
  return uploadPage({
    datasource: "other",
    hash: `page ${number}`,
    items: [{ kind: "documents", document: aDocument(`page ${number}`, { datasource: "other" }) }],
    ...more,
  });
}

const user = (number: number) => ({
  userId: `u${number}`,
  email: `u${number}@acme.example`,
  name: "U",
  isActive: true,
});
const membership = (number: number) => ({ groupName: "board", memberKind: "user", member: `u${number}` }) as const;
const reference = (number: number) => ({ whole: String(number), datasource: DATASOURCE, externalId: String(number) });

/** What pipelines write, one after the other, to the engine that has the documents by then. */
const REQUESTS: readonly ((calls: Calls, id: number) => Promise<unknown>)[] = [
  (calls, id) => calls.changeRights(id, DATASOURCE, { act: "describe group", name: "board" }),
  ...Array.from({ length: 8 }, (_, at) => (calls: Calls, id: number) => calls.apply(id, [put(at), put(at + 8)])),
  (calls, id) => calls.adoptGroup(id, groupOf(1)),
  (calls, id) => calls.takePage(id, pageOf(1, { isFirst: true })),
  ...Array.from({ length: 30 }, (_, at) => (calls: Calls, id: number): Promise<unknown> => {
    switch (at % 10) {
      case 0:
        return calls.changeRights(id, DATASOURCE, { act: "describe user", user: user(at) });
      case 1:
        return calls.changeRights(id, DATASOURCE, { act: "add member", membership: membership(at - 1) });
      case 2:
        return calls.apply(id, [{ act: "remove", datasource: DATASOURCE, externalId: String(at) }]);
      case 3:
        return calls.apply(id, [
          { act: "permit", datasource: DATASOURCE, externalId: "4", principals: [board, everyone] },
        ]);
      case 4:
        return calls.putValues(id, reference(at % 8), groupOf(1), [
          { name: "note", display: "Note", isList: false, values: [`plum ${at}`] },
        ]);
      case 5:
        return calls.takePage(id, pageOf(at, {}));
      case 6:
        return calls.apply(id, [put(at)]);
      case 7:
        return calls.changeRights(id, DATASOURCE, { act: "remove member", membership: membership(at - 17) });
      case 8:
        return calls.changeRights(id, DATASOURCE, { act: "describe group", name: `team ${at}` });
      default:
        return calls.changeRights(id, DATASOURCE, { act: "remove group", name: `team ${at - 11}` });
    }
  }),
  (calls, id) => calls.adoptGroup(id, groupOf(2)),
  (calls, id) => calls.takePage(id, pageOf(99, { isLast: true })),
  (calls, id) => calls.removeNext(id, { kind: "documents", datasource: "other", groupName: "", uploadId: "nightly" }),
  (calls, id) => calls.forgetGroup(id, "gone", 7),
];

it("a move empties every table of the engine except the one that says where the documents are", () => {
  const tables = SCHEMA_STEPS.flatMap((step) => [...step.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = ""]) => name));
  const whole = tables.filter((name) => !/_\d$/.test(name));
  expect([...ERASED_TABLES, "instances"].toSorted()).toEqual(whole.toSorted());
});

it("a copy begins only once the index is empty too, and a late driver does not erase it", async () => {
  const world = await PostgresWorld.begin();
  const { engine, instanceId } = world;
  const order = (turn: number, to: "giving" | "sealed" | "left" | "taking") =>
    engine.hold(instanceId, { turn, move: turn < 4 ? 1 : 4, to });
  await engine.apply(instanceId, [put(1)]);
  for (const [turn, to] of (["giving", "sealed", "left"] as const).entries()) await order(turn + 1, to);
  // The state after a step of the removal that is not the last one.
  await world.rows("DELETE FROM documents WHERE instance_id = $1");
  expect((await order(4, "taking")).isEmpty).toBe(false);
  expect(await engine.erase(instanceId, 4)).toBe(true);
  expect((await engine.transferState(instanceId)).isEmpty).toBe(true);
  const line = { kind: "group", key: [DATASOURCE, "board"], row: { is_deleted: 0, generation: 1 } } as const;
  await engine.takeLines(instanceId, { move: 4, page: 0, lines: [line], next: "[]" });
  expect(await engine.erase(instanceId, 4)).toBe(true);
  expect(await engine.tally(instanceId)).toMatchObject({ group: 1 });
});

it("an instance moves from its object to PostgreSQL and back, while it is written to and interrupted at every call", async () => {
  const world = new PostgresWorld();
  const { engine, instanceId } = world;
  const object = new SqliteStore();
  const still = objectOf(new SqliteStore(), () => world.now);
  const ledger = new Ledger(instanceId);
  const calls: Record<string, Calls> = { object: objectOf(object, () => world.now), [OTHER]: engine };
  const left = [...REQUESTS];
  let refused = 0;
  let further = 0;
  const write = async () => {
    const number = 1000 + (further++ % 20);
    const request = left[0] ?? ((any: Calls, id: number) => any.apply(id, [put(number)]));
    try {
      await request(calls[ledger.engine] as Calls, instanceId);
    } catch (error) {
      if (!String(error).includes("documents_")) throw error;
      refused += 1;
      return;
    }
    left.shift();
    await request(still, instanceId);
  };
  for (let times = 0; times < 12; times += 1) await write();

  /** This many calls succeed, then one is interrupted, before or after its work. */
  let meetings = 0;
  let reach = 1;
  const meet = async () => {
    if (meetings % 3 === 0) await write();
    meetings += 1;
    if (meetings < reach) return;
    meetings = 0;
    reach += 2;
    throw new Error("killed");
  };
  const postgres: EngineTransfer = new Proxy(engine, {
    get:
      (target, call) =>
      async (...given: unknown[]) => {
        await meet();
        const result: unknown = await (Reflect.get(target, call) as (...given: unknown[]) => unknown).apply(
          target,
          given,
        );
        await meet();
        return result;
      },
  });
  const transfers: Record<string, EngineTransfer> = { object: transferOf(object, meet), [OTHER]: postgres };
  const engines = { names: () => [], transferOf: (name: EngineName) => transfers[name] as EngineTransfer };
  const moves = new DocumentMoves(ledger, engines, () => world.now);
  for (const to of [OTHER, "object"] as const) {
    reach = 1;
    while (ledger.engine !== to) {
      if (!ledger.move || ledger.move.stage === "moved" || ledger.move.stage === "returned") ledger.begin(to);
      for (
        let times = 0;
        times < 200 && ledger.move?.stage !== "moved" && ledger.move?.stage !== "returned";
        times += 1
      ) {
        await moves.goOn(instanceId, 10_000);
      }
    }
    while (ledger.move?.stage !== "moved") await moves.goOn(instanceId, 10_000);
    expect(await linesOf(calls[to] as Calls, instanceId)).toEqual(await linesOf(still, instanceId));
    if (to === OTHER) {
      const seer = { email: "u20@acme.example", directoryGroups: [] };
      expect(await engine.maySee(instanceId, DATASOURCE, "6", seer)).toBe(true);
      expect(await engine.maySee(instanceId, DATASOURCE, "6", { ...seer, email: "u1@acme.example" })).toBe(false);
    }
    // The engine that the documents left refuses every call.
    const former =
      to === "object" ? engine.count(instanceId, DATASOURCE) : calls["object"]?.apply(instanceId, [put(1)]);
    await expect(former).rejects.toThrow("documents_elsewhere");
  }
  while (left.length > 0) await write();
  expect(refused).toBeGreaterThan(0);
});
