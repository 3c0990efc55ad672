import * as fc from "fast-check";
import { describe, it } from "vitest";
import { askedOfWorlds, expectPromised } from "../documents/promises.ts";
import { TINY_LIMITS } from "../documents/world.ts";
import { world } from "../support/search-worlds.ts";
import { PostgresWorld } from "./world.ts";
import { runs } from "../support/properties.ts";

/** The number of searches in each world, with each set of limits. */
const SEARCHES = 25;

describe.each([
  ["all at once", undefined, false],
  ["step by step", TINY_LIMITS, false],
  ["by postings", { ...TINY_LIMITS, sample: 0, few: 200 }, true],
] as const)("search on PostgreSQL against a plain evaluation of what it promises, %s", (_how, limits, isPosted) => {
  it("finds first all that has every word, then what has some, and nothing that the person may not see", async () => {
    await fc.assert(
      fc.asyncProperty(world, askedOfWorlds(SEARCHES), async (model, asked) => {
        const written = await PostgresWorld.of(model, limits);
        if (isPosted) await written.post();
        await expectPromised(model, written, asked, limits === undefined);
      }),
      { numRuns: runs(1), endOnFailure: true },
    );
  });
});
