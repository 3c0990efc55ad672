import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DocumentChange } from "#documents/engine.ts";
import { isElsewhere } from "#documents/moving/holding.ts";
import { DocumentMoves, type MoveStage } from "#documents/moving/move.ts";
import { type EngineName, shardsOf } from "#documents/moving/engines.ts";
import { describeError } from "#platform/log.ts";
import { runs } from "../../support/properties.ts";
import { timeIs } from "../../support/time.ts";
import { Ledger } from "../moving-world.ts";
import { DATASOURCE } from "../world.ts";
import { ask, Comparison } from "./comparing.ts";
import { CLEAN_UP, histories, REQUESTS } from "./histories.ts";
import { INSTANCE, LocalShards } from "./objects.ts";

/** An instance whose documents move between layouts, and one object that gets the same requests and never moves. */
class Resharding {
  readonly ledger = new Ledger();
  readonly still: LocalShards;
  readonly #layouts = new Map<EngineName, LocalShards>();
  now = 1000;
  /** Requests that an object refused because documents were moving, and that were sent again. */
  repeated = 0;
  meet: () => void | Promise<void> = () => undefined;

  constructor() {
    this.still = new LocalShards(1, { clock: () => this.now });
  }

  layout(name: EngineName): LocalShards {
    const known = this.#layouts.get(name);
    if (known) return known;
    const pace = { work: 1, milliseconds: 10_000 };
    const made = new LocalShards(shardsOf(name), { clock: () => this.now, meet: () => this.meet(), pace });
    this.#layouts.set(name, made);
    return made;
  }

  get serving(): LocalShards {
    return this.layout(this.ledger.engine);
  }

  moves(): DocumentMoves {
    const transferOf = (name: EngineName) => this.layout(name).transfer;
    timeIs(() => this.now);
    return new DocumentMoves(this.ledger, { names: () => [], transferOf });
  }

  /** Makes a request as a pipeline does: it repeats what was refused or failed. */
  async request(kind: number, number: number): Promise<void> {
    const make = REQUESTS[kind];
    if (!make) return;
    const request = make(number);
    for (let left = 500; ; left--) {
      try {
        await ask(this.serving.documents, request);
        break;
      } catch (error) {
        if (left === 0 || !(isElsewhere(describeError(error)) || describeError(error).includes("killed"))) throw error;
        this.repeated += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    await ask(this.still.documents, request);
  }

  async finish(): Promise<void> {
    for (let calls = 0; calls < 400; calls += 1) {
      const due = await this.moves().goOn(INSTANCE, 10_000);
      if (due === null || due.inSeconds > 3600) return;
    }
    throw new Error("the move has no end");
  }

  async expectWhole(): Promise<void> {
    this.meet = () => undefined;
    this.now += 10;
    for (let lap = 0; lap < 3; lap++) for (const each of [this.still, this.serving]) await each.cleanUp();
    await new Comparison(this.still.documents, this.serving.documents).compareAll();
  }

  close(): void {
    for (const each of [this.still, ...this.#layouts.values()]) each.close();
  }
}

const ROUTES: readonly (readonly EngineName[])[] = [
  ["shards:2", "shards:4"],
  ["shards:4", "shards:8", "shards:2"],
  ["shards:2", "object"],
];

describe("moving an instance's documents to another number of shards", () => {
  it.each(ROUTES)("keeps everything while pipelines write, whatever is interrupted (%s, %s)", async (...route) => {
    let repeated = 0;
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(
        histories(10, 40),
        histories(60, 120),
        fc.array(fc.nat(90), { maxLength: 10 }),
        fc.infiniteStream(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(20))),
        async (before, during, breaks, delays) => {
          const world = new Resharding();
          for (const [kind, number] of before) await world.request(kind, number);
          const pauses = [...breaks];
          for (const to of route as readonly EngineName[]) {
            let next = pauses.shift() ?? Infinity;
            world.meet = async () => {
              for (let wait = Number(delays.next().value); wait > 0; wait -= 1) await Promise.resolve();
              if (next-- > 0) return;
              next = pauses.shift() ?? Infinity;
              throw new Error("killed");
            };
            world.ledger.begin(to);
            const moves = world.moves();
            let isDone = false;
            // Two drivers at once, like the alarm and a command.
            const drive = async () => {
              for (let calls = 0; calls < 12; calls += 1) await moves.goOn(INSTANCE, 10_000);
            };
            const write = async () => {
              for (const [kind, number] of during) {
                if (isDone) return;
                world.now += 1;
                if (kind === CLEAN_UP) for (const object of world.serving.objects) object.upkeep();
                else await world.request(kind, number);
              }
            };
            const driving = Promise.all([drive(), drive()]).finally(() => (isDone = true));
            await Promise.all([driving, write()]);
            await world.finish();
            if (world.ledger.engine === to) moved += 1;
            // After too many failures, the documents stay where they were.
            else expect(world.ledger.move?.stage).toBe("returned");
          }
          repeated += world.repeated;
          await world.expectWhole();
          world.close();
        },
      ),
      { numRuns: runs(1), endOnFailure: true },
    );
    expect([moved > 0, repeated > 0]).toEqual([true, true]);
  });
});

describe("the trigger that runs every minute", () => {
  /** Lets a driver begin a stage and then vanish, as when an object's alarm is dropped. */
  async function abandonIn(world: Resharding, stage: MoveStage): Promise<void> {
    const { promise: vanished, resolve: vanish } = Promise.withResolvers<void>();
    let met = 0;
    world.meet = async () => {
      if (world.ledger.move?.stage !== stage || ++met < 2) return;
      vanish();
      await new Promise(() => undefined);
    };
    void world.moves().goOn(INSTANCE, 10_000);
    await vanished;
    world.meet = () => undefined;
  }

  it.each<readonly [MoveStage, ends: MoveStage]>([
    ["copying", "moved"],
    ["sealed", "moved"],
    ["switched", "moved"],
    ["erasing", "erased"],
    ["returning", "returned"],
  ])("finishes a move that every alarm left while it was %s", async (stage, ends) => {
    const world = new Resharding();
    for (let number = 0; number < 20; number += 1) await world.request(0, number);
    world.ledger.begin("shards:2");
    if (stage === "erasing") await world.finish();
    if (stage === "returning") await world.moves().goOn(INSTANCE, -1);
    const { move } = world.ledger;
    if (move && (stage === "erasing" || stage === "returning")) await world.ledger.advance(move, stage, null);
    await abandonIn(world, stage);
    const change: DocumentChange = { act: "remove", datasource: DATASOURCE, externalId: "none" };
    const write = () => world.serving.documents.apply(INSTANCE, [change]);
    if (stage === "sealed") await expect(write()).rejects.toThrow("documents failed");
    expect(await world.moves().goOnWithAll()).toBe(1);
    expect(world.ledger.move?.stage).toBe(ends);
    expect(await write()).toEqual(["done"]);
    await world.expectWhole();
    world.close();
  });

  it("deletes old documents after seven days if every alarm left them", async () => {
    const world = new Resharding();
    await world.request(0, 1);
    world.ledger.begin("shards:2");
    await world.finish();
    await world.moves().goOnWithAll();
    expect(world.ledger.move?.stage).toBe("moved");
    world.now += 8 * 86_400;
    await world.moves().goOnWithAll();
    expect(world.ledger.move?.stage).toBe("erased");
    world.close();
  });
});
