import { beforeAll, describe, it } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { Chance } from "../support/chance.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { raceForCode, raceToRefresh, raceWithRevocation } from "../support/races.ts";
import { makeInstance } from "../support/world.ts";

const ROUNDS = 8;

/** The small version of bench/races.test.ts, which `npm run races` repeats a thousand times. */
describe("races at the token endpoint (OAuth 2.1 §4.1.3, §4.3.1)", () => {
  const chance = new Chance(ROUNDS);
  let app: AppClient;
  let grants: DirectGrants;

  beforeAll(async () => {
    grants = new DirectGrants(await makeInstance());
    app = await AppClient.registered();
  });

  it("let exactly one of many redemptions of a code get tokens", async () => {
    for (let round = 0; round < ROUNDS; round += 1) await raceForCode(app, grants, chance.between(5, 20));
  });

  it("give many refreshes of one token the same successor, and lock nobody out", async () => {
    for (let round = 0; round < ROUNDS; round += 1) await raceToRefresh(app, grants, chance.between(5, 20));
  });

  it("let no refresh succeed after a revocation, whatever raced with it", async () => {
    for (let round = 0; round < ROUNDS; round += 1)
      await raceWithRevocation(app, grants, chance, chance.between(5, 20));
  });
});
