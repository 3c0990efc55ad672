import { ROWS_PER_BATCH } from "#platform/sweep.ts";
import { D1SpentIds } from "#spent-ids/spent-ids.d1.ts";
import { SPENT_ID_SECONDS_MAX, type SpentId, SpentIds } from "#spent-ids/spent-ids.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { MeasuredIsolate } from "../support/measured-isolate.ts";
import { makeInstance } from "../support/world.ts";

const NOW = 1_800_000_000;

describe("ids that may be used once (RFC 7519 §4.1.7)", () => {
  const isolate = new MeasuredIsolate();
  const { DB: database } = isolate.bindings;
  let ofInstance: Pick<SpentId, "instanceId">;

  beforeAll(async () => {
    ofInstance = { instanceId: (await makeInstance()).id };
  });

  function at(now: number): SpentIds {
    return new SpentIds(new D1SpentIds(database), () => now);
  }

  function spend(changed: Partial<SpentId>, now = NOW): Promise<boolean> {
    const id: SpentId = {
      ...ofInstance,
      purpose: "id_jag",
      sender: "https://idp.example",
      id: "a",
      expiresAt: NOW + 60,
      ...changed,
    };
    return at(now).spend(id);
  }

  it("are spent by only one of many at once", async () => {
    const spent = await Promise.all(Array.from({ length: 20 }, () => spend({})));
    expect(spent.filter(Boolean)).toHaveLength(1);
  });

  it("are separate for each purpose and sender, however sender and id are split", async () => {
    const others = [{ id: "b" }, { purpose: "client_assertion" }, { sender: "https://idp.examplea", id: "" }] as const;
    for (const other of others) expect([await spend(other), await spend(other)]).toEqual([true, false]);
    expect(await spend({})).toBe(false);
  });

  it("cost one written row", async () => {
    expect((await isolate.costOf(() => spend({ id: "counted" }))).rowsWritten).toBe(1);
  });

  it("are kept until they expire, and swept in batches", async () => {
    await database
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS_PER_BATCH + 1})
         INSERT INTO spent_ids SELECT ?1, 'dpop_proof', i, ${NOW} FROM n`,
      )
      .bind(ofInstance.instanceId)
      .run();
    await spend({ id: "later", expiresAt: NOW + 60.5 });
    expect(await at(NOW).sweep()).toBe(ROWS_PER_BATCH + 1);
    await at(NOW + 60).sweep();
    expect(await spend({ id: "later", expiresAt: NOW + 60.5 })).toBe(false);
    expect(await at(NOW + 61).sweep()).toBe(1);
  });

  it.each([SPENT_ID_SECONDS_MAX + 1, NaN, Infinity])(
    "can't expire later than an hour from now: %d s",
    async (seconds) => {
      await expect(spend({ id: "long", expiresAt: NOW + seconds })).rejects.toThrow(RangeError);
    },
  );
});
