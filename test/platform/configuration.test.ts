import type { Bindings } from "#platform/bindings.ts";
import { configurationFaults } from "#platform/configuration.ts";
import worker from "#index.ts";
import { describe, expect, it, vi } from "vitest";
import { env } from "../support/isolate.ts";
import { send } from "../support/world.ts";

/** Returns the faults of the Worker's configuration with these values. */
const faultsWith = (changes: Partial<Record<keyof Bindings, unknown>>) =>
  configurationFaults({ ...env, AI: undefined, CHAT_MODEL: undefined, ...changes });

const MODEL = { run: async () => undefined };

/** Values that a variable or binding must not have. */
const BAD: readonly (readonly [name: keyof Bindings, ...values: unknown[]])[] = [
  ["SERVICE_NAME", undefined, "", " Acme", "Acme  Search", "検索", 7, "x".repeat(101)],
  [
    "INSTANCE_HOST",
    undefined,
    "",
    "acme.example.com",
    "{instance}",
    "https://{instance}.example.com",
    "{instance}.example.com:8443",
    "{instance}.example.com/",
    "{instance}-{instance}.example.com",
    "api.{instance}.example.com",
    "{instance}..example.com",
    "{instance}_be.example.com",
  ],
  ["MASTER_KEYS", undefined, "", "key", "a:short", `a:${"A".repeat(43)},a:${"B".repeat(42)}A`],
  ["LOCAL_DEVELOPMENT", "True", "1", "", true],
  ["CHAT_MODEL", "", "@cf/some/model"],
  ["AI", MODEL],
  ["DB", undefined, env.CACHE],
  ["CACHE", undefined, env.DB],
  ["DOCUMENTS", undefined, env.DB],
  ["ASSETS", undefined, "public"],
  ["RATE_LIMIT_60", undefined, env.DB],
  ["RATE_LIMIT_300", undefined],
  ["RATE_LIMIT_3000", undefined],
];

describe("the check of variables and bindings", () => {
  it("finds nothing wrong with a complete configuration", () => {
    expect(faultsWith({})).toEqual([]);
    expect(faultsWith({ LOCAL_DEVELOPMENT: undefined })).toEqual([]);
    expect(faultsWith({ AI: MODEL, CHAT_MODEL: "@cf/some/model" })).toEqual([]);
    expect(faultsWith({ INSTANCE_HOST: "{instance}.Search.example.com" })).toEqual([]);
    expect(faultsWith({ INSTANCE_HOST: "gatehouse-{instance}-be.example.com" })).toEqual([]);
  });

  it("names each that is missing or wrong, and says what to do, without its value", () => {
    for (const [name, ...values] of BAD) {
      for (const value of values) {
        const faults = faultsWith({ [name]: value });
        expect(faults, `${name} = ${JSON.stringify(value)}`).not.toEqual([]);
        for (const fault of faults) expect(fault).toMatch(new RegExp(`\\b(?:${name}|AI)\\b.*\\.$`));
      }
    }
    expect(faultsWith({ MASTER_KEYS: "k1:hunter2" }).join()).not.toContain("hunter2");
  });

  it("covers every rate limit that has a binding", () => {
    const counters = Object.keys(env).filter((name) => name.startsWith("RATE_LIMIT_"));
    expect(counters.length).toBeGreaterThan(2);
    for (const name of counters) expect(faultsWith({ [name]: undefined })).toHaveLength(1);
  });

  it("gives every request a clear 503 until it is fixed, in pages too, and logs it", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { DB: _, ...others } = env;
    const bindings = others as Cloudflare.Env;
    for (const [path, init] of [
      ["/rest/api/v1/search", { method: "POST", body: "{}" }],
      ["/.well-known/oauth-protected-resource", {}],
      ["/oauth/authorize", { headers: { Accept: "text/html", "Accept-Language": "de" } }],
      ["/", { headers: { Accept: "text/html" } }],
    ] as const) {
      const response = await send(path, init, bindings);
      expect(response.status, path).toBe(503);
      expect(await response.json()).toMatchObject({
        message:
          "The service is not configured correctly. The binding DB is missing: add it to wrangler.toml under [[d1_databases]].",
      });
    }
    expect(logged.mock.calls[0]?.[0]).toContain("configuration_invalid");
    const trigger = { cron: "* * * * *" } as ScheduledController;
    await expect(worker.scheduled(trigger, bindings)).rejects.toThrow("The binding DB is missing");
    logged.mockRestore();
  });

  it("happens once for each set of bindings, not with every request", async () => {
    let reads = 0;
    const bindings = { ...env };
    Object.defineProperty(bindings, "CHAT_MODEL", { get: () => void (reads += 1), enumerable: true });
    await send("/", {}, bindings);
    const afterFirst = reads;
    expect(afterFirst).toBeGreaterThan(0);
    await send("/", {}, bindings);
    expect(reads).toBe(afterFirst);
  });
});
