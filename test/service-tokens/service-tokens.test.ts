import { hashToken } from "#crypto/secrets.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { ApiError } from "#protocol/errors.ts";
import { requireServiceToken } from "#resource-server/authentication/service-token-gate.ts";
import { makeServiceToken, type ServiceToken } from "#service-tokens/service-token.ts";
import { ServiceTokens } from "#service-tokens/service-tokens.ts";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { timeIs } from "../support/time.ts";

const HOUR_SECONDS = 3600;
const START = 1_000_000 * HOUR_SECONDS;

const TOKEN: ServiceToken = {
  id: "token",
  kind: "indexing",
  scopes: ["documents:wiki"],
  personId: null,
  networks: [],
  changedAt: START - 100,
  expiresAt: START + 100 * HOUR_SECONDS,
  revokedAt: null,
  lastUsedAt: START + 100 * HOUR_SECONDS,
  secretExpiresAt: null,
  secretHash: "hash" as ServiceToken["secretHash"],
  origins: 0,
};

let now: number;
let secret: string;
let stored: ServiceToken | null;
let reads: number;
let uses: number[];
let tokens: ServiceTokens;

beforeEach(async () => {
  now = START;
  timeIs(() => now);
  secret = await makeServiceToken("indexing");
  stored = TOKEN;
  reads = 0;
  uses = [];
  const hash = await hashToken(secret);
  const store = {
    async findByHash(_instanceId: number, presented: string) {
      reads += 1;
      return presented === hash ? stored : null;
    },
    async recordUse(_instanceId: number, _tokenId: string, usedAt: number) {
      uses.push(usedAt);
    },
  };
  tokens = new ServiceTokens(store);
});

function policyOf(changes: Partial<PolicySnapshot> = {}): PolicySnapshot {
  const empty = {
    instanceId: 1,
    deactivatedPeople: new Set<string>(),
    changedServiceTokens: new Map<string, number>(),
  };
  return { ...empty, ...changes } as PolicySnapshot;
}

/** Returns the decision, and how many reads it took. */
async function recognise(text = secret, policy = policyOf()): Promise<[decision: string, reads: number]> {
  const before = reads;
  const credentials = { token: text, address: "unknown", waitUntil: () => undefined };
  const decision = await requireServiceToken(
    tokens,
    "indexing",
    { issuer: "https://acme.example", policy },
    credentials,
  ).then(
    ({ id }) => id,
    (error: unknown) => {
      if (error instanceof ApiError) return error.reason.replace("service_token_", "");
      throw error;
    },
  );
  return [decision, reads - before];
}

describe("recognising a service-issued token", () => {
  it("hashes no text that it remembers, and none with another form or kind", async () => {
    await recognise();
    const digest = vi.spyOn(crypto.subtle, "digest");
    expect(await recognise()).toEqual(["token", 0]);
    expect(await recognise("")).toEqual(["authorization_header_malformed", 0]);
    for (const text of ["x".repeat(53), `${secret}A`, secret.slice(1), "ghi_", `ghx_${"A".repeat(49)}`]) {
      expect(await recognise(text)).toEqual(["malformed", 0]);
    }
    expect(await recognise(await makeServiceToken("client-api"))).toEqual(["wrong_kind", 0]);
    // The one digest is for the checksum of the other kind of token, which this test made.
    expect(digest).toHaveBeenCalledTimes(1);
  });

  it("caches what it read for an hour, however often it is asked meanwhile", async () => {
    expect(await recognise()).toEqual(["token", 1]);
    for (let minute = 0; minute < 59; minute += 1) {
      now += 60;
      expect(await recognise()).toEqual(["token", 0]);
    }
    now += 60;
    expect(await recognise()).toEqual(["token", 1]);
    expect(await recognise()).toEqual(["token", 0]);
  });

  it("reads again once when the policy has a newer change", async () => {
    await recognise();
    const changed = policyOf({ changedServiceTokens: new Map([["token", START + 5]]) });
    stored = { ...TOKEN, changedAt: START + 5, revokedAt: START + 5 };
    expect(await recognise(secret, changed)).toEqual(["revoked", 1]);
    expect(await recognise(secret, changed)).toEqual(["revoked", 0]);
    // A request with a policy that is older than what was read.
    expect(await recognise()).toEqual(["revoked", 0]);
  });

  it("reads again for a change to which a slower clock gave a time before the reading", async () => {
    await recognise();
    stored = { ...TOKEN, changedAt: TOKEN.changedAt + 1, revokedAt: TOKEN.changedAt + 1 };
    const changed = policyOf({ changedServiceTokens: new Map([["token", TOKEN.changedAt + 1]]) });
    expect(await recognise(secret, changed)).toEqual(["revoked", 1]);
  });

  it("does not read again for the change that it has seen, or for another token's", async () => {
    await recognise();
    const others = new Map([
      ["token", TOKEN.changedAt],
      ["other", START + 1],
    ]);
    expect(await recognise(secret, policyOf({ changedServiceTokens: others }))).toEqual(["token", 0]);
  });

  it("forgets everything when the clock steps back, because ages are unknown then", async () => {
    await recognise();
    now += HOUR_SECONDS - 1;
    expect(await recognise()).toEqual(["token", 0]);
    now -= HOUR_SECONDS / 2;
    expect(await recognise()).toEqual(["token", 1]);
    expect(await recognise()).toEqual(["token", 0]);
  });

  it("forgets nothing if concurrent requests differ by a second", async () => {
    await recognise();
    now -= 1;
    expect(await recognise()).toEqual(["token", 0]);
  });

  it("separates instances", async () => {
    await recognise();
    expect(await recognise(secret, policyOf({ instanceId: 2 }))).toEqual(["token", 1]);
  });

  it("remembers an unknown text for ten seconds, separately from genuine ones, and forgets the oldest", async () => {
    await recognise();
    const unknown = await Promise.all(Array.from({ length: 1001 }, () => makeServiceToken("indexing")));
    for (const text of unknown) expect(await recognise(text)).toEqual(["unknown", 1]);
    expect(await recognise(unknown[1000])).toEqual(["unknown", 0]);
    expect(await recognise(unknown[0])).toEqual(["unknown", 1]);
    expect(await recognise()).toEqual(["token", 0]);
    now += 10;
    expect(await recognise(unknown[1000])).toEqual(["unknown", 1]);
  });

  it("remembers no more than 5,000 genuine ones", async () => {
    const anything = { findByHash: async () => TOKEN, recordUse: async () => undefined };
    tokens = new ServiceTokens(anything);
    const read = vi.spyOn(anything, "findByHash");
    await recognise();
    for (let at = 0; at < 5000; at += 1) await recognise(await makeServiceToken("indexing"));
    read.mockClear();
    await recognise();
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("refuses a superseded secret from the second in which it expires", async () => {
    stored = { ...TOKEN, secretExpiresAt: START + 600 };
    expect(await recognise()).toEqual(["token", 1]);
    now += 599;
    expect(await recognise()).toEqual(["token", 0]);
    now += 1;
    expect(await recognise()).toEqual(["replaced", 0]);
  });

  it("never takes a storage failure for a decision, and reads again afterwards", async () => {
    const failing = { findByHash: () => Promise.reject(new Error("down")), recordUse: async () => undefined };
    tokens = new ServiceTokens(failing);
    await expect(recognise()).rejects.toThrow("down");
    failing.findByHash = () => Promise.resolve(TOKEN) as never;
    expect((await recognise())[0]).toBe("token");
  });
});

describe("a token's last use", () => {
  it("is recorded once an hour, rounded to the hour, even for two secrets of one token", async () => {
    stored = { ...TOKEN, lastUsedAt: null };
    await recognise();
    await recognise();
    await recognise(secret, policyOf({ instanceId: 2 }));
    expect(uses).toEqual([START]);
    now += HOUR_SECONDS - 1;
    await recognise();
    expect(uses).toEqual([START]);
    now += 1;
    await recognise();
    expect(uses).toEqual([START, START + HOUR_SECONDS]);
  });

  it("is not recorded if storage has that hour already", async () => {
    stored = { ...TOKEN, lastUsedAt: START };
    await recognise();
    expect(uses).toEqual([]);
  });
});
