import * as fc from "fast-check";
import { describe, it } from "vitest";
import { world } from "../support/search-worlds.ts";
import { askedOfWorlds, expectPromised } from "./promises.ts";
import { TINY_LIMITS, World, WORLDS } from "./world.ts";

describe.each([
  ["all at once", undefined],
  ["step by step", TINY_LIMITS],
])("search against a plain evaluation of what it promises, %s", (_how, limits) => {
  it("finds first all that has every word, then what has some, and nothing that the person may not see", async () => {
    const whole = fc.record({ model: world, isMapped: fc.boolean(), asked: askedOfWorlds() });
    await fc.assert(
      fc.asyncProperty(whole, async ({ model, isMapped, asked }) => {
        const written = World.of(model, limits);
        if (isMapped) written.mapCommonWords();
        await expectPromised(model, written, asked, limits === undefined);
        written.store.close();
      }),
      // A world is too large to be shrunk step by step.
      { numRuns: WORLDS, endOnFailure: true },
    );
  });
});
