import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ERASED_TABLES as OBJECT_TABLES } from "#documents/moving/erase.ts";
import { DocumentMoves, type MoveStage } from "#documents/moving/move.ts";
import type { EngineName } from "#documents/moving/placement.ts";
import type { EngineTransfer, HoldingOrder } from "#documents/moving/transfer.ts";
import { ERASED_TABLES } from "#documents-postgres/moving/erase.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

/** Each of about thirty calls gets its own move, which takes long on a busy machine. */
const TIMEOUT_MILLISECONDS = 300_000;

/** Writes something to every table that moves. */
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

/** A driver's call, which a network may deliver again. */
interface Asked {
  readonly stage: MoveStage | undefined;
  readonly engine: EngineName;
  readonly name: keyof EngineTransfer;
  /** The arguments after the instance. */
  readonly given: readonly unknown[];
}

/** Returns the kind of a call. Calls of one kind differ only in how far the copy is. */
function kindOf({ stage, engine, name, given: [order] }: Asked): string {
  return JSON.stringify([stage, engine, name, name === "hold" ? (order as HoldingOrder).to : null]);
}

/** Copies another instance's rows to an instance that has none. */
async function copyRows(world: PostgresWorld, from: number): Promise<void> {
  const tables = await world.rows<{ name: string; columns: string }>(
    `SELECT table_name AS name, string_agg(column_name, ', ') AS columns FROM information_schema.columns
     WHERE $1::bigint > 0 AND table_schema = 'gatehouse' AND table_name = ANY ($2::text[])
       AND is_generated = 'NEVER' AND column_name <> 'instance_id'
     GROUP BY table_name`,
    `{instances,${ERASED_TABLES.join()}}`,
  );
  const copies = tables.map(
    ({ name, columns }) => `copied_${name} AS (INSERT INTO ${name} (instance_id, ${columns}) OVERRIDING SYSTEM VALUE
      SELECT $1::bigint, ${columns} FROM ${name} WHERE instance_id = $2::bigint)`,
  );
  await world.rows(`WITH ${copies.join()} SELECT $1::bigint`, from);
}

/** A driver that is held up at one of its calls until that call is too late. */
interface LateDriver {
  /** @returns whether it reached that call */
  readonly arrived: Promise<boolean>;
  goOn(): Promise<void>;
}

/** One instance, whose documents are in an object or on PostgreSQL. */
class Worlds {
  readonly world = new PostgresWorld();
  readonly object: SqliteStore;
  readonly ledger: Ledger;
  readonly calls: Readonly<Record<string, Calls>>;
  readonly #transfers: Readonly<Record<EngineName, EngineTransfer>>;
  /** Every call that any driver made. */
  readonly asked: Asked[] = [];

  private constructor(objectFile?: string) {
    this.object = new SqliteStore(objectFile);
    this.#transfers = { object: transferOf(this.object, async () => undefined), [OTHER]: this.world.engine };
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

  /** Copies this instance to a new one. Copying rows takes a tenth of the time that making them takes. */
  async copy(): Promise<Worlds> {
    files += 1;
    const file = join(folder, `${files}.sqlite`);
    this.object.exec("VACUUM INTO ?1", file);
    const copied = new Worlds(file);
    copied.object.exec("PRAGMA synchronous = OFF");
    const { ledger, world } = copied;
    ledger.engine = this.ledger.engine;
    ledger.move = this.ledger.move && { ...this.ledger.move, instanceId: world.instanceId };
    world.now = this.world.now;
    await copyRows(world, this.world.instanceId);
    copied.asked.push(...this.asked);
    return copied;
  }

  #ask({ engine, name, given }: Asked): Promise<unknown> {
    const target = this.#transfers[engine] as EngineTransfer;
    return (target[name] as (...all: unknown[]) => Promise<unknown>)(this.world.instanceId, ...given);
  }

  #moves(meet: () => Promise<void>): DocumentMoves {
    const watched = (engine: EngineName) =>
      new Proxy(this.#transfers[engine] as EngineTransfer, {
        get:
          (_target, name: keyof EngineTransfer) =>
          async (_instanceId: number, ...given: unknown[]) => {
            const asked = { stage: this.ledger.move?.stage, engine, name, given };
            await meet();
            this.asked.push(asked);
            return this.#ask(asked);
          },
      });
    const engines = { names: () => [], transferOf: watched };
    return new DocumentMoves(this.ledger, engines, () => this.world.now);
  }

  /** Completes the move, including an administrator's request to erase the old documents. */
  async drive(meet: () => Promise<void> = async () => undefined): Promise<void> {
    const { ledger, world } = this;
    for (let calls = 0; calls < 100; calls += 1) {
      const due = await this.#moves(meet).goOn(world.instanceId, 10_000);
      if (due === null) return;
      if (ledger.move?.stage === "moved") await ledger.advance(ledger.move, "erasing", null);
    }
    throw new Error("the move has no end");
  }

  /** @param at the number of the call before which it waits, from 1 */
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

  /** Counts the rows in every table that has documents. */
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

  /**
   * Makes every driver's calls again, as a network may deliver them: backwards, or the last erasing would hide what came
   * before.
   */
  async askAgain(): Promise<void> {
    for (const asked of this.asked.toReversed()) {
      await this.#ask(asked).catch((error: unknown) => {
        if (!String(error).includes("documents_order_refused")) throw error;
      });
    }
  }

  /** Does what an alarm and a trigger would do much later. */
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

/** The folder of copied objects. */
let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-erasing-"));
  await new PostgresWorld().database.migrate();
});

afterAll(() => rm(folder, { recursive: true }));

describe.each([["object"], [OTHER]] as const)("documents deleted in a move from %s", (from) => {
  const to = other(from);

  /**
   * Returns the calls at which a driver may be late: the first of each kind, and all that bring lines, as each brings
   * others.
   */
  async function latePlaces(original: Worlds): Promise<{ readonly at: number; readonly isFirst: boolean }[]> {
    const worlds = await original.copy();
    worlds.ledger.begin(to);
    await worlds.drive();
    const calls = worlds.asked.slice(original.asked.length);
    const kinds = calls.map(kindOf);
    return calls.flatMap((call, index) => {
      const isFirst = kinds.indexOf(kindOf(call)) === index;
      return isFirst || call.name === "takeLines" ? [{ at: index + 1, isFirst }] : [];
    });
  }

  it(
    "never come back, at whatever call another driver is late, once the move is cancelled or the old ones are deleted",
    async () => {
      const stages = new Set<string>();
      const original = await Worlds.filled(from);
      const whole = await original.lines();
      for (const { at, isFirst } of await latePlaces(original)) {
        const worlds = await original.copy();
        const { ledger } = worlds;
        ledger.begin(to);
        const late = worlds.lateDriver(at);
        expect(await late.arrived).toBe(true);
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
        // Once for each kind is enough, because the last call of a stage comes after all others.
        if (isFirst) await worlds.askAgain();
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
