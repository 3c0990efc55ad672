import { type PolicySnapshot, PolicySnapshots } from "#instance/policy-snapshot.ts";
import { OUTAGE_SECONDS_MAX, PATIENCE_MILLISECONDS } from "#platform/patience.ts";
import { parseSettings } from "#settings/settings.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { timeIs } from "../support/time.ts";

/** A source that counts its reads, returns the number of the read as the instance's id, and can fail. */
class FakeSource {
  reads = 0;
  /** Reads of whole snapshots. */
  wholes = 0;
  failing = false;
  /** If set, a read returns when this does. */
  until: Promise<void> | undefined;
  readonly unknown = new Set(["nobody"]);

  async readPolicy(name: string): Promise<PolicySnapshot | null> {
    this.wholes += 1;
    return this.renewPolicy({ name });
  }

  async renewPolicy({ name }: Pick<PolicySnapshot, "name">): Promise<PolicySnapshot | null> {
    this.reads += 1;
    const read = this.reads;
    if (this.failing) throw new Error("down");
    await this.until;
    if (this.unknown.has(name)) return null;
    return {
      version: read,
      instanceId: read,
      name,
      schemaFault: null,
      settings: parseSettings({}),
      singleSignOns: [],
      documents: { engine: "object", turn: 0 },
      publishedKeys: new Map(),
      signingKey: null,
      revokedGrants: new Map(),
      disabledClients: new Set(),
      exchangers: new Set(),
      changedClients: new Map(),
      deactivatedPeople: new Set(),
      signedOutPeople: new Map(),
      externalIssuers: new Map(),
      changedServiceTokens: new Map(),
      appRules: new Map(),
      glossary: [],
      appContent: new Map(),
    };
  }
}

describe("policy snapshots", () => {
  let now: number;
  let source: FakeSource;
  let snapshots: PolicySnapshots;
  let behind: Promise<unknown>[];

  beforeEach(() => {
    now = 1_700_000_000;
    timeIs(() => now);
    source = new FakeSource();
    snapshots = new PolicySnapshots(source);
    behind = [];
  });

  afterEach(() => void vi.useRealTimers());

  /** Returns the number of the read whose snapshot a request uses now. */
  const readOf = async (name = "acme") =>
    (await snapshots.of(name, (work) => void behind.push(work)))?.instanceId ?? null;

  it("are read once and used for five seconds", async () => {
    expect(await readOf()).toBe(1);
    now += 4;
    expect(await readOf()).toBe(1);
    expect([source.reads, behind.length]).toEqual([1, 0]);
  });

  it("are renewed after the response from five seconds on, once for all concurrent requests", async () => {
    await readOf();
    now += 5;
    expect(await Promise.all([readOf(), readOf(), readOf()])).toEqual([1, 1, 1]);
    expect(behind).toHaveLength(1);
    await Promise.all(behind);
    expect(await readOf()).toBe(2);
    expect(source.reads).toBe(2);
  });

  it("are read whole every ten minutes, and only their changes in between", async () => {
    for (; source.reads < 120; now += 5) {
      await readOf();
      await Promise.all(behind);
    }
    expect(source.wholes).toBe(1);
    now += 5;
    await readOf();
    await Promise.all(behind);
    expect(source.wholes).toBe(2);
  });

  it("are read whole after the clock has stepped back, because their age is unknown", async () => {
    await readOf();
    now -= 3600;
    await readOf();
    expect(source.wholes).toBe(2);
  });

  it("of instances are not evicted by requests for names that do not exist", async () => {
    await readOf();
    source.reads = 0;
    for (let n = 0; n < 3000; n += 1) {
      source.unknown.add(`nobody-${n}`);
      await readOf(`nobody-${n}`);
    }
    expect(await readOf()).toBe(1);
    expect(source.reads).toBe(3000);
  });

  it("are read again if they are expired while a read is in progress", async () => {
    await readOf();
    now += 5;
    await readOf();
    snapshots.expire("acme");
    await Promise.all(behind);
    expect(await readOf()).toBe(3);
  });

  it("are never used once they are ten seconds old: the request waits for a new one", async () => {
    await readOf();
    now += 10;
    expect(await readOf()).toBe(2);
  });

  it("are renewed after the next response if a renewal failed", async () => {
    await readOf();
    source.failing = true;
    now += 5;
    await readOf();
    await Promise.all(behind);
    source.failing = false;
    expect(await readOf()).toBe(1);
    await Promise.all(behind);
    expect(await readOf()).toBe(3);
  });

  it("are used during an outage up to its limit, and not a second longer", async () => {
    await readOf();
    source.failing = true;
    now += OUTAGE_SECONDS_MAX - 1;
    expect(await readOf()).toBe(1);
    now += 1;
    await expect(readOf()).rejects.toThrow("down");
    source.failing = false;
    expect(await readOf()).not.toBe(1);
  });

  it("are used if the storage is silent, and what it answers late replaces nothing newer", async () => {
    await readOf();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const late = Promise.withResolvers<void>();
    source.until = late.promise;
    now += 10;
    const waiting = readOf();
    await vi.advanceTimersByTimeAsync(PATIENCE_MILLISECONDS);
    expect(await waiting).toBe(1);
    source.until = undefined;
    now += 1;
    expect(await readOf()).toBe(3);
    late.resolve();
    await vi.advanceTimersByTimeAsync(1);
    expect(await readOf()).toBe(3);
  });

  it("are followed if the storage is slow: a read that takes too long continues after the response", async () => {
    await readOf();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const late = Promise.withResolvers<void>();
    source.until = late.promise;
    now += 10;
    const waiting = readOf();
    await vi.advanceTimersByTimeAsync(PATIENCE_MILLISECONDS);
    expect([await waiting, behind.length]).toEqual([1, 1]);
    late.resolve();
    await Promise.all(behind);
    now += 2;
    expect([await readOf(), source.reads]).toEqual([2, 2]);
  });

  it("are requested at most once a second from storage that fails", async () => {
    await readOf();
    source.failing = true;
    now += 20;
    await readOf();
    const { reads } = source;
    for (let request = 0; request < 5; request += 1) expect(await readOf()).toBe(1);
    expect(source.reads).toBe(reads);
    now += 1;
    await readOf();
    expect(source.reads).toBe(reads + 1);
  });

  it("are missing, and requests fail, until the first read succeeds", async () => {
    source.failing = true;
    await expect(readOf()).rejects.toThrow("down");
  });

  it("cache that an instance doesn't exist, but no longer than ten seconds", async () => {
    expect(await readOf("nobody")).toBeNull();
    expect(await readOf("nobody")).toBeNull();
    expect(source.reads).toBe(1);
    now += 10;
    await readOf("nobody");
    expect(source.reads).toBe(2);
  });

  it("are cached for at most 1000 names, and the oldest is dropped first", async () => {
    for (let name = 0; name <= 1000; name += 1) await readOf(`name-${name}`);
    const { reads } = source;
    await readOf("name-1000");
    expect(source.reads).toBe(reads);
    await readOf("name-0");
    expect(source.reads).toBe(reads + 1);
  });

  it("are read again at once after expire(), but only that instance's", async () => {
    await readOf();
    await readOf("other");
    snapshots.expire("acme");
    expect([await readOf(), await readOf("other")]).toEqual([3, 2]);
  });

  it("are not kept longer because the clock has stepped back", async () => {
    await readOf();
    now -= 3600;
    expect(await readOf()).toBe(2);
    now += 4;
    expect(await readOf()).toBe(2);
    now += 6;
    expect(await readOf()).toBe(3);
  });

  it("are used during an outage up to its limit, even if the clock steps back, and are renewed when it ends", async () => {
    await readOf();
    source.failing = true;
    now += 20;
    expect(await readOf()).toBe(1);
    now -= 3600;
    expect(await readOf()).toBe(1);
    const { reads } = source;
    now += 2;
    expect(await readOf()).toBe(1);
    expect(source.reads).toBe(reads + 1);
    now += OUTAGE_SECONDS_MAX;
    await expect(readOf()).rejects.toThrow("down");
    source.failing = false;
    expect(await readOf()).toBe(source.reads);
  });

  it("are read at once by current(), without making other requests wait", async () => {
    expect(await readOf()).toBe(1);
    const current = snapshots.current("acme", () => undefined);
    expect(await readOf()).toBe(1);
    expect((await current)?.instanceId).toBe(2);
    expect(await readOf()).toBe(2);
  });

  it("are returned from the cache by current() while storage is down", async () => {
    expect(await readOf()).toBe(1);
    source.failing = true;
    now += 2;
    expect((await snapshots.current("acme", () => undefined))?.instanceId).toBe(1);
  });

  it("are read again by reread() at most once a second", async () => {
    await readOf();
    expect((await snapshots.reread("acme"))?.instanceId).toBe(1);
    now += 1;
    expect((await snapshots.reread("acme"))?.instanceId).toBe(2);
    expect((await snapshots.reread("acme"))?.instanceId).toBe(2);
  });
});
