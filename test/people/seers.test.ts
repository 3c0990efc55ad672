import { Seers } from "#people/seers.ts";
import { describe, expect, it } from "vitest";

describe("a person's email and groups for documents", () => {
  it("are read once in ten seconds, and then again", async () => {
    let now = 1000;
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
      () => now,
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
    let reads = 0;
    const seer = { email: "ada@acme.example", directoryGroups: [] };
    const read = async () => {
      reads++;
      if (now > 1000) throw new Error("down");
      return seer;
    };
    const seers = new Seers({ read, readAnywhere: async () => null, readByEmail: async () => null }, () => now);
    await seers.of(1, "ada");
    now = 1059;
    expect([await seers.of(1, "ada"), await seers.of(1, "ada")]).toEqual([seer, seer]);
    expect(reads).toBe(2);
    now = 1060;
    await expect(seers.of(1, "ada")).rejects.toThrow("down");
  });

  it("are read ahead for the person's own instance only, whoever is named", async () => {
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
      () => 1000,
    );
    await seers.readAhead("ada");
    await seers.readAhead("nobody");
    expect([await seers.of(1, "ada"), reads]).toEqual([seer, 0]);
    expect([await seers.of(2, "ada"), await seers.of(1, "nobody"), reads]).toEqual([null, null, 2]);
  });

  it("are separate for each instance", async () => {
    const seers = new Seers(
      {
        read: async (instanceId) => ({ email: `${instanceId}@example`, directoryGroups: [] }),
        readAnywhere: async () => null,
        readByEmail: async () => null,
      },
      () => 0,
    );
    expect(await seers.of(1, "ada")).toEqual({ email: "1@example", directoryGroups: [] });
    expect(await seers.of(2, "ada")).toEqual({ email: "2@example", directoryGroups: [] });
  });
});
