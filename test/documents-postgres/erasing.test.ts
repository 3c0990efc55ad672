import { ERASED_TABLES as OBJECT_TABLES } from "#documents/moving/erase.ts";
import { DocumentMoves } from "#documents/moving/move.ts";
import type { EngineName } from "#documents/moving/placement.ts";
import type { EngineTransfer } from "#documents/moving/transfer.ts";
import { ERASED_TABLES } from "#documents-postgres/moving/erase.ts";
import { describe, expect, it } from "vitest";
import { Ledger, OTHER, transferOf } from "../documents/moving-world.ts";
import { uploadPage } from "../documents/upload-page.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { type Calls, linesOf, objectOf } from "./moved.ts";
import { PostgresWorld } from "./world.ts";

const everyone = { kind: "everyone", datasource: "", name: "" } as const;
const board = { kind: "group", datasource: DATASOURCE, name: "board" } as const;
const key = { id: 1, name: "note", display: "Note", facetName: "reviewnote", propertyType: "TEXT" } as const;
const review = { id: 1, name: "review", display: "Review", version: 1, keys: [{ ...key, skipIndexing: false }] };
const ada = { userId: "u1", email: "ada@acme.example", name: "Ada", isActive: true };

/** Each of forty calls is met by a move of its own, which takes long on a busy machine. */
const TIMEOUT_MILLISECONDS = 300_000;

/** Something for every table that moves. */
async function fill(calls: Calls, id: number): Promise<void> {
  const put = (name: string) =>
    ({ act: "put", document: aDocument(name, { body: `merger ${name}`, principals: [everyone, board] }) }) as const;
  await calls.changeRights(id, DATASOURCE, { act: "describe group", name: "board" });
  await calls.changeRights(id, DATASOURCE, { act: "describe user", user: ada });
  const membership = { groupName: "board", memberKind: "user", member: "u1" } as const;
  await calls.changeRights(id, DATASOURCE, { act: "add member", membership });
  await calls.apply(id, [put("one"), put("two")]);
  await calls.adoptGroup(id, review);
  await calls.putValues(id, { whole: "one", datasource: DATASOURCE, externalId: "one" }, review, [
    { name: "note", display: "Note", isList: false, values: ["plum"] },
  ]);
  await calls.takePage(
    id,
    uploadPage({ isFirst: true, items: [{ kind: "documents", document: put("three").document }] }),
  );
  await calls.apply(id, [{ act: "permit", datasource: DATASOURCE, externalId: "two", principals: [everyone] }]);
  await calls.forgetGroup(id, "gone", 7);
}

/** A driver that is held up at one of its calls, until it is too late for it. */
interface LateDriver {
  /** @returns whether it came to that call */
  readonly arrived: Promise<boolean>;
  goOn(): Promise<void>;
}

/** One instance, whose documents are in an object or on PostgreSQL. */
class Worlds {
  readonly world = new PostgresWorld();
  readonly object = new SqliteStore();
  readonly ledger: Ledger;
  readonly calls: Readonly<Record<string, Calls>>;
  /** Everything that any driver asked. */
  readonly #asked: (() => Promise<unknown>)[] = [];

  private constructor() {
    this.ledger = new Ledger(this.world.instanceId);
    this.calls = { object: objectOf(this.object, () => this.world.now), [OTHER]: this.world.engine };
  }

  static async filled(from: EngineName): Promise<Worlds> {
    const worlds = new Worlds();
    if (from === OTHER) {
      worlds.ledger.begin(OTHER);
      await worlds.drive();
    }
    await fill(worlds.calls[from] as Calls, worlds.world.instanceId);
    return worlds;
  }

  #moves(meet: () => Promise<void>): DocumentMoves {
    const watched = (of: EngineTransfer): EngineTransfer =>
      new Proxy(of, {
        get:
          (target, name) =>
          async (...given: unknown[]) => {
            const ask = async () => (Reflect.get(target, name) as (...all: unknown[]) => unknown).apply(target, given);
            await meet();
            this.#asked.push(ask);
            return ask();
          },
      });
    const transfers: Readonly<Record<string, EngineTransfer>> = {
      object: watched(transferOf(this.object, async () => undefined)),
      [OTHER]: watched(this.world.engine),
    };
    const engines = { names: () => [], transferOf: (name: EngineName) => transfers[name] as EngineTransfer };
    return new DocumentMoves(this.ledger, engines, () => this.world.now);
  }

  /** To the end of what there is to do, an administrator's wish to erase the old documents included. */
  async drive(meet: () => Promise<void> = async () => undefined): Promise<void> {
    const { ledger, world } = this;
    for (let calls = 0; calls < 100; calls += 1) {
      const due = await this.#moves(meet).goOn(world.instanceId, 10_000);
      if (due === null) return;
      if (ledger.move?.stage === "moved") await ledger.advance(ledger.move, "erasing", null);
    }
    throw new Error("the move has no end");
  }

  /** @param at before which of its calls it waits, from 1 on */
  lateDriver(at: number): LateDriver {
    let calls = 0;
    let goOn: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (goOn = resolve));
    let arrive: (came: boolean) => void = () => undefined;
    const arrived = new Promise<boolean>((resolve) => (arrive = resolve));
    const done = this.drive(async () => {
      if (++calls !== at) return;
      arrive(true);
      await released;
    }).finally(() => arrive(false));
    return {
      arrived,
      goOn: () => {
        goOn();
        return done;
      },
    };
  }

  /** Rows in every table that documents are in. */
  async rowsIn(engine: EngineName): Promise<Readonly<Record<string, number>>> {
    const [tables, condition] = engine === "object" ? [OBJECT_TABLES, "1"] : [ERASED_TABLES, "instance_id = $1"];
    const statement = tables
      .map((table) => `SELECT '${table}' AS name, count(*) AS rows FROM ${table} WHERE ${condition}`)
      .join(" UNION ALL ");
    type Counted = { readonly name: string; readonly rows: number };
    const counts =
      engine === "object" ? this.object.exec<Counted>(statement) : await this.world.rows<Counted>(statement);
    return Object.fromEntries(counts.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, rows]));
  }

  lines(): Promise<Set<string>> {
    return linesOf(this.calls[this.ledger.engine] as Calls, this.world.instanceId);
  }

  /** Whatever any driver asked comes once more, as a network may bring it: backwards, or the last erasing would hide what came before it. */
  async askAgain(): Promise<void> {
    for (const ask of this.#asked.toReversed()) {
      await ask().catch((error: unknown) => {
        if (!String(error).includes("documents_order_refused")) throw error;
      });
    }
  }

  /** What an alarm and a trigger would do long after. */
  async wakeUp(): Promise<void> {
    const { world } = this;
    world.now += 30 * 24 * 3600;
    await this.drive();
    const isDue = (await world.database.instancesDue(world.now * 2, 1_000_000)).includes(world.instanceId);
    expect(isDue).toBe(this.ledger.engine === OTHER);
    if (isDue) while (await world.engine.upkeep(world.instanceId));
    else await expect(world.engine.upkeep(world.instanceId)).rejects.toThrow("documents_elsewhere");
  }
}

const other = (engine: EngineName): EngineName => (engine === "object" ? OTHER : "object");

describe.each([["object"], [OTHER]] as const)("what is deleted in a move from %s is gone for good", (from) => {
  const to = other(from);

  it(
    "at whatever call another driver is late, when the move is cancelled or its old documents are deleted",
    async () => {
      const stages = new Set<string>();
      for (let at = 1; ; at += 1) {
        const worlds = await Worlds.filled(from);
        const { ledger } = worlds;
        const whole = await worlds.lines();
        ledger.begin(to);
        const late = worlds.lateDriver(at);
        if (!(await late.arrived)) break;
        const stage = ledger.move?.stage ?? "copying";
        stages.add(stage);
        if (ledger.move && (stage === "copying" || stage === "sealed")) {
          await ledger.advance(ledger.move, "returning", null);
        }
        await worlds.drive();
        const isCancelled = ledger.engine === from;
        expect(ledger.move?.stage).toBe(isCancelled ? "returned" : "erased");
        const emptied = other(ledger.engine);
        const expectNothing = async () => {
          expect([stage, at, await worlds.rowsIn(emptied)]).toEqual([stage, at, {}]);
        };
        await expectNothing();
        await late.goOn();
        await expectNothing();
        await worlds.askAgain();
        await expectNothing();
        await worlds.wakeUp();
        await expectNothing();
        const remove = { act: "remove", datasource: DATASOURCE, externalId: "one" } as const;
        await expect(worlds.calls[emptied]?.apply(worlds.world.instanceId, [remove])).rejects.toThrow(
          "documents_elsewhere",
        );
        expect(await worlds.lines()).toEqual(whole);
      }
      expect(stages).toEqual(new Set(["copying", "sealed", "switched", "erasing"]));
    },
    TIMEOUT_MILLISECONDS,
  );
});
