import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PartProgress } from "#documents/uploads/uploads.ts";
import { isExportPlace } from "#documents/upkeep/export.ts";
import { runs } from "../../support/properties.ts";
import { aDocument, DATASOURCE } from "../world.ts";
import { Comparison, linesOf } from "./comparing.ts";
import { histories, type Request, REQUESTS, SEERS } from "./histories.ts";
import { INSTANCE, LocalShards } from "./objects.ts";

/** One object and several that get the same requests. */
class Pair extends Comparison {
  now = 1000;
  readonly #all: readonly LocalShards[];

  constructor(shards: number) {
    const clock = () => this.now;
    // A call of several shards does one thing at most.
    const pace = { work: 1, milliseconds: -1 };
    const [one, several] = [new LocalShards(1, { clock }), new LocalShards(shards, { clock, pace })];
    super(one.documents, several.documents);
    this.#all = [one, several];
  }

  async cleanUp(): Promise<void> {
    // What the first lap releases may be named by rows that it has already passed.
    for (let lap = 0; lap < 3; lap++) for (const each of this.#all) await each.cleanUp();
  }

  async compareCleaned(): Promise<void> {
    this.now += 10;
    await this.cleanUp();
    await this.compareAll();
  }

  /** Restores what the shards export, in an instance with one object and in one with other shards. */
  async exchange(shards: number): Promise<Pair> {
    const lines = await linesOf((after) => this.several.exportPage(INSTANCE, after));
    const ordered = [...lines.filter((line) => !("document" in line)), ...lines.filter((line) => "document" in line)];
    const restored = new Pair(shards);
    restored.now = this.now;
    const half = Math.floor(ordered.length / 2);
    await restored.ask(["importPage", { backup: "b", from: 0, lines: ordered.slice(0, half), isLast: false }]);
    await restored.ask(["importPage", { backup: "b", from: 0, lines: ordered.slice(0, half), isLast: false }]);
    await restored.ask(["importPage", { backup: "b", from: half, lines: ordered.slice(half), isLast: true }]);
    return restored;
  }

  close(): void {
    for (const each of this.#all) each.close();
  }
}

describe.each([2, 8])("%i shards", (shards) => {
  it("answer any history of calls as one object does, also after a restore with other shards", async () => {
    await fc.assert(
      fc.asyncProperty(histories(30, 40), async (history) => {
        const pair = new Pair(shards);
        for (const [at, number] of history) {
          pair.now += 10;
          const request = REQUESTS[at];
          if (!request) {
            await pair.cleanUp();
            continue;
          }
          const [name, ...given] = request(number);
          await pair.ask([name, ...given] as Request, (answer: unknown) => comparable(name, answer));
          // What was remembered about people's rights must no longer apply.
          for (const seer of SEERS) await pair.ask(["maySee", DATASOURCE, String(number % 7), seer]);
        }
        await pair.compareCleaned();
        const restored = await pair.exchange(shards === 8 ? 2 : shards * 2);
        await restored.compareCleaned();
        for (const one of [pair, restored]) one.close();
      }),
      { numRuns: runs(1), endOnFailure: true },
    );
  });
});

/** The number of an upload depends on what was uploaded to its object before. */
function comparable(name: string, answer: unknown): unknown {
  if (name !== "takePage" || answer === null || !("generation" in (answer as object))) return answer;
  const { generation: _generation, ...taken } = answer as PartProgress;
  return taken;
}

it("exports several shards page by page, from places that a request may have", async () => {
  const shards = new LocalShards(8, { clock: () => 0 });
  const documents = Array.from({ length: 60 }, (_, at) => aDocument(`page-${at}`));
  await shards.documents.apply(
    INSTANCE,
    documents.map((document) => ({ act: "put", document })),
  );
  const places: string[] = [];
  const lines = await linesOf(async (after) => {
    if (after !== null) places.push(after.slice(after.indexOf(" ") + 1));
    return shards.documents.exportPage(INSTANCE, after);
  });
  expect(lines.filter((line) => "document" in line)).toHaveLength(60);
  expect(places.length).toBeGreaterThan(8);
  expect(places.filter((place) => !isExportPlace(place))).toEqual([]);
  shards.close();
});

it("exports a section of one object from its start if the place is one of several shards", async () => {
  const one = new LocalShards(1, { clock: () => 0 });
  await one.documents.apply(INSTANCE, [{ act: "put", document: aDocument("page") }]);
  const { lines } = (await one.documents.exportPage(INSTANCE, `0 [1,"[1]"]`)) ?? { lines: [] };
  expect(lines).toHaveLength(1);
  expect(await one.documents.exportPage(INSTANCE, `0 [4,"[1]"]`)).toMatchObject({ lines: [] });
  one.close();
});
