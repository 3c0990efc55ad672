import { D1SpentIds, type SpentId } from "#spent-ids/spent-ids.d1.ts";
import { ROWS_PER_BATCH } from "#platform/sweep.ts";
import { SPENT_ID_SECONDS_MAX, SpentIds } from "#spent-ids/spent-ids.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { MeasuredIsolate } from "../support/measured-isolate.ts";
import { timeIs } from "../support/time.ts";
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
    timeIs(() => now);
    return new SpentIds(new D1SpentIds(database));
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

  describe("of senders that nobody chose", () => {
    const share = { name: "strangers", idsMax: 3, reason: "assertions_too_many" } as const;
    const outcome = (changed: Partial<SpentId>) =>
      spend({ share, ...changed }).catch(({ code }: { code: string }) => code);

    it("are refused beyond their share, whoever sends them, and nobody else's are", async () => {
      const senders = ["a", "b", "c", "d"].map((sender) => ({ sender, id: "of strangers" }));
      const outcomes: unknown[] = [];
      for (const sent of senders) outcomes.push(await outcome(sent));
      expect(outcomes).toEqual([true, true, true, "slow_down"]);
      expect(await outcome({ sender: "e", share: { ...share, name: "of another sender" } })).toBe(true);
      expect(await outcome({ sender: "f", share: undefined })).toBe(true);
      const { id: instanceId } = await makeInstance("other");
      expect(await outcome({ sender: "d", instanceId })).toBe(true);
    });

    it("stay spent while the share is full, and when their sender is no stranger any more", async () => {
      const first = { sender: "a", id: "of strangers" };
      expect(await outcome(first)).toBe(false);
      expect(await outcome({ ...first, share: undefined })).toBe(false);
      expect(await outcome({ ...first, share: { ...share, name: "a" } })).toBe(false);
    });

    it("have room again once they have expired", async () => {
      await at(NOW + 61).sweep();
      expect(await outcome({ sender: "d", id: "of strangers", expiresAt: NOW + 120 })).toBe(true);
    });

    it("cost two written rows, and read no more than their share", async () => {
      const cost = await isolate.costOf(() => outcome({ sender: "g" }));
      expect(cost.rowsWritten).toBe(2);
    });
  });

  it("are kept until they expire, and swept in batches", async () => {
    await database
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS_PER_BATCH + 1})
         INSERT INTO spent_ids SELECT ?1, 'dpop_proof', i, ${NOW}, NULL FROM n`,
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
