import { Keyring } from "#crypto/keyring.ts";
import { ROWS_PER_BATCH } from "#platform/sweep.ts";
import { servicesOf } from "#services.ts";
import { describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { MeasuredIsolate } from "../support/measured-isolate.ts";

/** Makes instances with one new audit entry each. */
async function makeInstances(prefix: string, count: number): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  // The retention only cuts after a seal that a master key made.
  const seal = `h.${await new Keyring(env.MASTER_KEYS).mac("audit-chain", "h")}`;
  const ofPrefix = `FROM instances WHERE name LIKE '${prefix}-%'`;
  await env.DB.batch(
    [
      `${numbers} INSERT INTO instances (name, settings, created_at) SELECT '${prefix}-' || i, '{}', 0 FROM n`,
      `INSERT INTO audit (instance_id, sequence, at, actor, event, detail, previous_hash, hash)
       SELECT id, 1, unixepoch(), 'x', 'instance_created', '{}', 'p', '${seal}' ${ofPrefix}`,
    ].map((sql) => env.DB.prepare(sql)),
  );
}

describe("the costs of the hourly maintenance", () => {
  it("are the same number of statements with 2,000 instances as with 10", async () => {
    const isolate = new MeasuredIsolate();
    const { maintenance } = servicesOf(isolate.bindings);
    await makeInstances("few", 10);
    await maintenance.run();
    const { statements } = await isolate.costOf(() => maintenance.run());
    await makeInstances("many", 2000);
    expect((await isolate.costOf(() => maintenance.run())).statements).toBe(statements);
    expect((await maintenance.last())?.failed).toEqual([]);
  });

  it("stay below D1's limit for one invocation, however many instances need something, and each run makes progress", async () => {
    const isolate = new MeasuredIsolate();
    const { maintenance } = servicesOf(isolate.bindings);
    await env.DB.batch(
      [
        "UPDATE audit SET at = 1",
        `INSERT INTO signing_keys SELECT 'key-' || id, id, '{}', '', 'signing', 0, 0 FROM instances LIMIT 100`,
      ].map((sql) => env.DB.prepare(sql)),
    );
    const waiting = () =>
      env.DB.prepare(
        `SELECT (SELECT count(*) FROM audit WHERE at = 1) + (SELECT count(*) FROM signing_keys WHERE staged_at = 0) AS n`,
      ).first<number>("n");
    const before = (await waiting()) ?? 0;
    for (let run = 0; run < 3; run += 1) {
      expect((await isolate.costOf(() => maintenance.run())).statements).toBeLessThan(1000);
    }
    expect((await maintenance.last())?.failed).toEqual([]);
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
    await servicesOf(env).maintenance.run();
    expect(await env.DB.prepare("SELECT count(*) AS n FROM sessions").first("n")).toBe(0);
  });
});
