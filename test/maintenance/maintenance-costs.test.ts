import { sealAfter } from "#audit/audit-chain.ts";
import { Keyring } from "#crypto/keyring.ts";
import { ROWS_PER_BATCH } from "#platform/sweep.ts";
import { servicesOf } from "#services.ts";
import { describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { MeasuredIsolate } from "../support/measured-isolate.ts";

/** Makes instances with one new audit entry each. */
async function makeInstances(prefix: string, count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO instances (name, settings, created_at) SELECT '${prefix}-' || i, '{}', 0 FROM n`,
  ).run();
  await replaceEntries(Math.floor(Date.now() / 1000));
}

/** Replaces the logs of all instances by one sealed entry each. */
async function replaceEntries(at: number): Promise<void> {
  const keyring = new Keyring(env.MASTER_KEYS);
  const { results } = await env.DB.prepare("SELECT id FROM instances").all<{ id: number }>();
  const sealed = results.map(async ({ id: instanceId }) => {
    const entry = { instanceId, sequence: 1, at, actor: "x", event: "instance_created", detail: {} };
    return { id: instanceId, seal: (await sealAfter(keyring, null, entry)).hash };
  });
  await env.DB.batch([
    env.DB.prepare("DELETE FROM audit"),
    env.DB.prepare(
      `INSERT INTO audit (instance_id, sequence, at, actor, event, detail, previous_hash, hash)
       SELECT value ->> 'id', 1, ?1, 'x', 'instance_created', '{}', '', value ->> 'seal' FROM json_each(?2)`,
    ).bind(at, JSON.stringify(await Promise.all(sealed))),
  ]);
}

describe("the costs of the hourly maintenance", () => {
  it("are the same number of statements with 2,000 instances as with 10", async () => {
    const isolate = new MeasuredIsolate();
    const { eachHour, stores } = servicesOf(isolate.bindings);
    await makeInstances("few", 10);
    await eachHour();
    const { statements } = await isolate.costOf(() => eachHour());
    await makeInstances("many", 2000);
    expect((await isolate.costOf(() => eachHour())).statements).toBe(statements);
    expect((await stores.maintenance.last())?.failed).toEqual([]);
  });

  it("stay below D1's limit for one invocation, however many instances need something, and each run makes progress", async () => {
    const isolate = new MeasuredIsolate();
    const { eachHour, stores } = servicesOf(isolate.bindings);
    await replaceEntries(1);
    await env.DB.exec(
      "INSERT INTO signing_keys SELECT 'key-' || id, id, '{}', '', 'signing', 0, 0 FROM instances LIMIT 100",
    );
    const waiting = async () =>
      (await env.DB.prepare("SELECT count(*) AS n FROM audit WHERE at = 1").first<number>("n")) ?? 0;
    const before = await waiting();
    for (let run = 0; run < 3; run += 1) {
      expect((await isolate.costOf(() => eachHour())).statements).toBeLessThan(1000);
    }
    expect((await stores.maintenance.last())?.failed).toEqual([]);
    expect(await waiting()).toBeLessThan(before);
  });

  it("include deletions in batches until nothing is left", async () => {
    await env.DB.exec(
      "INSERT INTO people (id, instance_id, email, name, created_at) SELECT 'ben', min(id), 'b', 'Ben', 0 FROM instances",
    );
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${2 * ROWS_PER_BATCH + 5})
       INSERT INTO sessions (secret_hash, instance_id, person_id, created_at, expires_at)
       SELECT 's' || i, (SELECT min(id) FROM instances), 'ben', 0, 1 FROM n`,
    ).run();
    await servicesOf(env).eachHour();
    expect(await env.DB.prepare("SELECT count(*) AS n FROM sessions").first("n")).toBe(0);
  });
});
