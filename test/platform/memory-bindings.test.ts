import { bindingOf, RATE_LIMITS, RATE_PERIOD_SECONDS } from "#platform/rate-limits.ts";
import { describe, expect, it } from "vitest";
import { env, genuine } from "../support/isolate.ts";

/** Returns the result of a call, or "refused" if it throws. */
function outcomeOf(act: () => Promise<unknown>): Promise<unknown> {
  return act().catch(() => "refused");
}

describe.skipIf(env.DATABASE === "d1")("the rate limit counters of the tests", () => {
  const { limit } = RATE_LIMITS[0];
  const binding = bindingOf({ limit });

  /** Sends one request more than the limit for each of two callers. Starts again if the minute ended in the meantime. */
  async function counted(counter: RateLimit, caller: string): Promise<unknown[]> {
    const minute = () => Math.floor(Date.now() / (RATE_PERIOD_SECONDS * 1000));
    for (let attempt = 1; ; attempt += 1) {
      const begun = minute();
      const answers = [];
      for (let count = 0; count <= limit; count += 1) {
        for (const name of ["one", "other"]) answers.push(await counter.limit({ key: `${caller} ${name} ${attempt}` }));
      }
      if (minute() === begun) return answers;
    }
  }

  it("give the same results as Miniflare's counters", async () => {
    const answers = await counted(env[binding], "memory");
    expect(answers).toEqual(await counted(genuine[binding], "genuine"));
    expect(answers.slice(-3)).toEqual([{ success: true }, { success: false }, { success: false }]);
  });
});

describe.skipIf(env.DATABASE === "d1")("the cache of the tests", () => {
  const KEY = "https://idp.example/.well-known/openid-configuration";

  it.each<[string, (cache: KVNamespace) => Promise<unknown>]>([
    ["a key that was never written", (cache) => cache.get("never", "json")],
    ["a value", (cache) => cache.put(KEY, '{"a":["ü"]}', { expirationTtl: 60 })],
    ["reading JSON", (cache) => cache.get(KEY, "json")],
    ["reading text", (cache) => cache.get(KEY, "text")],
    ["another value", (cache) => cache.put(KEY, "no JSON")],
    ["reading the other", (cache) => cache.get(KEY, "text")],
    ["reading it as JSON", (cache) => cache.get(KEY, "json")],
    ["a life that is too short", (cache) => cache.put(KEY, "{}", { expirationTtl: 59 })],
    ["no key", (cache) => cache.put("", "{}")],
    ["the longest key", (cache) => cache.put("ü".repeat(256), "{}")],
    ["a longer key", (cache) => cache.put(`${"ü".repeat(256)}x`, "{}")],
    ["reading a longer key", (cache) => cache.get(`${"ü".repeat(256)}x`, "json")],
  ])("gives the same results as Miniflare's KV: %s", async (_what, act) => {
    expect(await outcomeOf(() => act(env.CACHE))).toEqual(await outcomeOf(() => act(genuine.CACHE)));
  });
});
