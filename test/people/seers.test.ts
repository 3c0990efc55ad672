import { Seers } from "#people/seers.ts";
import { PATIENCE_MILLISECONDS } from "#platform/patience.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { timeIs } from "../support/time.ts";

const ignored = () => undefined;

afterEach(() => void vi.useRealTimers());

describe("a person's email and groups for documents", () => {
  it("are read once in ten seconds, and then again", async () => {
    let now = 1000;
    timeIs(() => now);
    let reads = 0;
    const seer = { email: "ada@acme.example", directoryGroups: ["engineering"] };
    const seers = new Seers(
      {
        read: async () => {
          reads++;
          return now < 1010 ? seer : null;
        },
        readAnywhere: async () => null,
        readByEmail: async () => null,
      },
      ignored,
    );
    expect(await seers.of(1, "ada")).toEqual(seer);
    now = 1009;
    expect(await seers.of(1, "ada")).toEqual(seer);
    expect(reads).toBe(1);
    now = 1010;
    expect(await seers.of(1, "ada")).toBeNull();
    expect(reads).toBe(2);
  });

  it("are used for a minute if the storage fails, and asked for once a second", async () => {
    let now = 1000;
    timeIs(() => now);
    let reads = 0;
    const seer = { email: "ada@acme.example", directoryGroups: [] };
    const read = async () => {
      reads++;
      if (now > 1000) throw new Error("down");
      return seer;
    };
    const seers = new Seers({ read, readAnywhere: async () => null, readByEmail: async () => null }, ignored);
    await seers.of(1, "ada");
    now = 1059;
    expect([await seers.of(1, "ada"), await seers.of(1, "ada")]).toEqual([seer, seer]);
    expect(reads).toBe(2);
    now = 1060;
    await expect(seers.of(1, "ada")).rejects.toThrow("down");
  });

  it("are read ahead for the person's own instance only, whoever is named", async () => {
    timeIs(() => 1000);
    const seer = { email: "ada@acme.example", directoryGroups: [] };
    let reads = 0;
    const seers = new Seers(
      {
        read: async () => {
          reads++;
          return null;
        },
        readAnywhere: async (personId) => (personId === "ada" ? { instanceId: 1, seer } : null),
        readByEmail: async () => null,
      },
      ignored,
    );
    await seers.readAhead("ada");
    await seers.readAhead("nobody");
    expect([await seers.of(1, "ada"), reads]).toEqual([seer, 0]);
    expect([await seers.of(2, "ada"), await seers.of(1, "nobody"), reads]).toEqual([null, null, 2]);
  });

  it("are followed if the storage is slow: a read that takes too long continues after the response", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let now = 1000;
    timeIs(() => now);
    let reads = 0;
    let late = Promise.withResolvers<void>();
    late.resolve();
    const read = async () => {
      reads += 1;
      const directoryGroups = [`group ${reads}`];
      await late.promise;
      return { email: "ada@acme.example", directoryGroups };
    };
    const behind: Promise<unknown>[] = [];
    const seers = new Seers(
      { read, readAnywhere: async () => ({ instanceId: 1, seer: await read() }), readByEmail: async () => null },
      (work) => void behind.push(work),
    );
    const groups = async () => (await seers.of(1, "ada"))?.directoryGroups;
    expect(await groups()).toEqual(["group 1"]);
    for (const ask of [groups, () => seers.readAhead("ada").then(groups)]) {
      const held = await groups();
      late = Promise.withResolvers();
      now += 10;
      const asked = ask();
      await vi.advanceTimersByTimeAsync(PATIENCE_MILLISECONDS);
      expect(await asked).toEqual(held);
      late.resolve();
      await Promise.all(behind);
      now += 2;
      expect(await groups()).toEqual([`group ${reads}`]);
    }
    expect([reads, behind.length]).toEqual([3, 2]);
  });

  it("are separate for each instance", async () => {
    const seers = new Seers(
      {
        read: async (instanceId) => ({ email: `${instanceId}@example`, directoryGroups: [] }),
        readAnywhere: async () => null,
        readByEmail: async () => null,
      },
      ignored,
    );
    expect(await seers.of(1, "ada")).toEqual({ email: "1@example", directoryGroups: [] });
    expect(await seers.of(2, "ada")).toEqual({ email: "2@example", directoryGroups: [] });
  });
});
