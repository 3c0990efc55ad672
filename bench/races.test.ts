import { RATE_LIMIT_BINDINGS } from "#platform/rate-limits.ts";
import { beforeAll, describe, expect, inject, it, vi } from "vitest";
import { AppClient } from "../test/support/app-client.ts";
import { Chance } from "../test/support/chance.ts";
import { DirectGrants } from "../test/support/direct-grants.ts";
import { env } from "../test/support/isolate.ts";
import { addTally, raceForCode, raceToRefresh, raceWithRevocation, type Tally } from "../test/support/races.ts";
import { makeInstance } from "../test/support/world.ts";

/** The long version of test/conformance/oauth21-races.test.ts: `ROUNDS=1000 npm run races`. */
describe("races at the token endpoint", () => {
  const rounds = inject("rounds");
  const seed = inject("seed");
  let app: AppClient;
  let grants: DirectGrants;

  beforeAll(async () => {
    for (const level of ["info", "warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => {});
    // Rate limits would stop a race.
    for (const binding of RATE_LIMIT_BINDINGS) vi.spyOn(env[binding], "limit").mockResolvedValue({ success: true });
    const instance = await makeInstance();
    app = await AppClient.registered();
    grants = new DirectGrants(instance);
    console.log(`seed ${seed}`);
  });

  async function repeat(what: string, times: number, race: () => Promise<Tally>): Promise<void> {
    const sum: Tally = {};
    const started = performance.now();
    for (let round = 0; round < times; round += 1) addTally(sum, await race());
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const answers = Object.entries(sum).map(([status, count]) => `${count} × ${status}`);
    console.log(`${what}: ${times} rounds, ${answers.join(", ")}, ${seconds} s`);
  }

  it("of 5 to 20 redemptions of one code exactly one gets tokens", async () => {
    const chance = new Chance(seed);
    await repeat("redemptions of one code", rounds, () => raceForCode(app, grants, chance.between(5, 20)));
    const redeemed = await env.DB.prepare("SELECT COUNT(*) AS n FROM grants WHERE redeemed_at IS NOT NULL").first("n");
    expect(redeemed).toBe(rounds);
  });

  it("100 refreshes of one token give one successor, and lock nobody out", async () => {
    await repeat("100 refreshes of one token", Math.ceil(rounds / 10), () => raceToRefresh(app, grants, 100));
  });

  it("nothing refreshes after a revocation, whatever raced with it", async () => {
    const chance = new Chance(seed + 1);
    await repeat("refreshes beside a revocation", rounds, () =>
      raceWithRevocation(app, grants, chance, chance.between(5, 20)),
    );
  });
});
