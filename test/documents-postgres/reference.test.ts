import * as fc from "fast-check";
import { describe, it } from "vitest";
import { askedOfWorlds, expectPromised } from "../documents/promises.ts";
import { TINY_LIMITS } from "../documents/world.ts";
import { world } from "../support/search-worlds.ts";
import { PostgresWorld } from "./world.ts";

/** How many random worlds are tried; `POSTGRES_WORLDS=100 npx vitest run --project postgres` tries more. */
const WORLDS = Number(process.env["POSTGRES_WORLDS"] ?? 1);

/** In each world, under each limits. */
const SEARCHES = 25;

describe.each([
  ["all at once", undefined],
  ["step by step", TINY_LIMITS],
])("search on PostgreSQL against a plain evaluation of what it promises, %s", { timeout: 300_000 }, (_how, limits) => {
  it("finds all that has every word, first; behind it what has some; and nothing that the person may not see", async () => {
    await fc.assert(
      fc.asyncProperty(world, askedOfWorlds(SEARCHES), async (model, asked) => {
        const written = await PostgresWorld.of(model, limits);
        await expectPromised(model, written, asked, limits === undefined);
      }),
      { numRuns: WORLDS, seed: 20_261_122, endOnFailure: true },
    );
  });
});
