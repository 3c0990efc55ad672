import { D1Usage, type Count } from "#usage/usage.d1.ts";
import { servicesOf } from "#services.ts";
import { OVERVIEW_DAYS, Usage } from "#usage/usage.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { env } from "../support/isolate.ts";
import { timeIs } from "../support/time.ts";

const DAY = 86_400;
const START = 20_000 * DAY + 1000;

let instanceId: number;
let otherId: number;
let now: number;
let usage: Usage;
let waiting: Promise<unknown>[];

const waitUntil = (work: Promise<unknown>) => void waiting.push(work);

beforeAll(async () => {
  instanceId = (await createInstance(servicesOf(env), "used", "test")).id;
  otherId = (await createInstance(servicesOf(env), "other", "test")).id;
});

beforeEach(async () => {
  await env.DB.batch([env.DB.prepare("DELETE FROM usage_counts"), env.DB.prepare("DELETE FROM failures")]);
  now = START;
  timeIs(() => now);
  waiting = [];
  usage = new Usage(new D1Usage(env.DB));
});

async function flush(): Promise<void> {
  now += 60;
  usage.note(otherId, "token", "flush", waitUntil);
  await Promise.all(waiting);
}

describe("counting usage", () => {
  it("writes nothing for a minute, and then everything from that minute in one statement", async () => {
    for (let request = 0; request < 10; request += 1) usage.note(instanceId, "token", "authorization_code", waitUntil);
    now += 59;
    usage.note(instanceId, "refusal", "token_expired", waitUntil);
    expect(waiting).toEqual([]);
    now += 1;
    usage.note(instanceId, "refusal", "token_expired", waitUntil);
    expect(waiting).toHaveLength(1);
    await Promise.all(waiting);
    const { days, refusals } = await usage.overview(instanceId);
    expect(days.at(-1)).toEqual({ at: 20_000 * DAY, tokens: 10, refusals: 2 });
    expect(refusals).toEqual([{ reason: "token_expired", count: 2 }]);
  });

  it("leaves out refusals that every connection begins with, and addresses that nobody has", async () => {
    const reasons = ["credential_missing", "dpop_nonce_missing", "no_route", "json_broken"] as const;
    for (const reason of reasons) usage.note(instanceId, "refusal", reason, waitUntil);
    await flush();
    expect((await usage.overview(instanceId)).refusals).toEqual([{ reason: "json_broken", count: 1 }]);
  });

  it("adds to what other isolates wrote", async () => {
    const other = new Usage(new D1Usage(env.DB));
    for (const one of [usage, other]) one.note(instanceId, "token", "refresh_token", waitUntil);
    now += 60;
    for (const one of [usage, other]) one.note(instanceId, "token", "refresh_token", waitUntil);
    await Promise.all(waiting);
    expect((await usage.overview(instanceId)).days.at(-1)?.tokens).toBe(4);
  });

  it("separates instances, days and kinds", async () => {
    usage.note(instanceId, "token", "x", waitUntil);
    usage.note(instanceId, "refusal", "unexpected", waitUntil);
    usage.note(otherId, "token", "x", waitUntil);
    now += DAY;
    usage.note(instanceId, "token", "x", waitUntil);
    await flush();
    const { days } = await usage.overview(instanceId);
    expect(days.slice(-2)).toEqual([
      { at: 20_000 * DAY, tokens: 1, refusals: 1 },
      { at: 20_001 * DAY, tokens: 1, refusals: 0 },
    ]);
  });

  it("keeps at most 500 different names, whoever invents them", async () => {
    const written: Count[][] = [];
    const store = { ...emptyStore, add: async (counts: readonly Count[]) => void written.push([...counts]) };
    usage = new Usage(store);
    for (let word = 0; word < 600; word += 1) usage.note(instanceId, "token", `name-${word}`, waitUntil);
    now += 60;
    usage.note(instanceId, "token", "name-0", waitUntil);
    expect(written[0]).toHaveLength(500);
  });

  it("never lets a storage failure affect a request", async () => {
    usage = new Usage({ ...emptyStore, add: () => Promise.reject(new Error("down")) });
    usage.note(instanceId, "token", "x", waitUntil);
    now += 60;
    usage.note(instanceId, "token", "x", waitUntil);
    await expect(Promise.all(waiting)).resolves.toBeDefined();
  });

  it("covers thirty days, and deletes what no page shows", async () => {
    usage.note(instanceId, "token", "old", waitUntil);
    await flush();
    now = START + (OVERVIEW_DAYS - 1) * DAY;
    expect((await usage.overview(instanceId)).days[0]?.tokens).toBe(1);
    now += DAY;
    expect((await usage.overview(instanceId)).days.every(({ tokens }) => tokens === 0)).toBe(true);
    expect(await usage.sweep()).toBe(0);
    now += 40 * DAY;
    expect(await usage.sweep()).toBe(2);
  });

  it("sorts reasons by their number", async () => {
    for (const reason of ["grant_idle", "token_expired", "token_expired"] as const)
      usage.note(instanceId, "refusal", reason, waitUntil);
    await flush();
    expect((await usage.overview(instanceId)).refusals.map(({ reason }) => reason)).toEqual([
      "token_expired",
      "grant_idle",
    ]);
  });
});

describe("the record of failures", () => {
  it("keeps the last fifty of each instance, newest first", async () => {
    usage.noteFailure(otherId, { requestId: "other", path: "/", reason: "unexpected" }, waitUntil);
    for (let request = 1; request <= 60; request += 1) {
      usage.noteFailure(instanceId, { requestId: `id-${request}`, path: "/x", reason: "unexpected" }, waitUntil);
      await Promise.all(waiting);
    }
    const { failures } = await usage.overview(instanceId);
    expect(failures).toHaveLength(50);
    expect(failures[0]).toEqual({ at: now, requestId: "id-60", path: "/x", reason: "unexpected" });
    expect(failures.at(-1)?.requestId).toBe("id-11");
    expect((await usage.overview(otherId)).failures).toHaveLength(1);
  });
});

const emptyStore = {
  add: async () => undefined,
  counts: async () => [],
  keepFailure: async () => undefined,
  failures: async () => [],
  reach: async () => ({ people: 0, clients: 0, grants: 0 }),
  sweep: async () => 0,
};
