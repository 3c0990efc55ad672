import { hashToken } from "#crypto/secrets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { makeServiceToken } from "#service-tokens/service-token.ts";
import { D1ServiceTokens } from "#service-tokens/service-tokens.d1.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { search } from "../support/app-client.ts";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { env } from "../support/isolate.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { allTokens, issueToken } from "../support/service-tokens.ts";
import { issueClientApiToken, makeInstance, send, setDeactivated, travel } from "../support/world.ts";
import { audited } from "../support/audited.ts";

/** The longest time until a revocation takes effect in another isolate. */
const REACH_SECONDS = 10;
const HOUR_SECONDS = 3600;

let instance: InstanceRecord;
let isolate: ObservedIsolate;

beforeAll(async () => {
  instance = await makeInstance();
});

beforeEach(() => {
  // The clock stands still in the middle of an hour, so that no use falls into another hour by accident.
  vi.useFakeTimers({ toFake: ["Date"] });
  const seconds = Math.floor(Date.now() / 1000);
  vi.setSystemTime((seconds - (seconds % HOUR_SECONDS) + HOUR_SECONDS / 2) * 1000);
  isolate = new ObservedIsolate();
});

afterEach(() => vi.useRealTimers());

/** Returns the decision of the Indexing API's gate, at a path without a route. */
async function gate(secret: string, headers: Record<string, string> = {}): Promise<unknown[]> {
  const response = await isolate.send("/api/index/v1/nothing", {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, ...headers },
  });
  return response.status === 404 ? ["let in"] : [response.status, (await readRefusal(response)).error];
}

async function lastUsed(tokenId: string): Promise<number | null> {
  const statement = env.DB.prepare("SELECT last_used_at FROM service_tokens WHERE id = ?1").bind(tokenId);
  return statement.first<number | null>("last_used_at");
}

describe("a service-issued token's networks", () => {
  const networks = ["192.0.2.0/24", "2001:db8:a::/48"];
  const from = (address: string) => ({ "CF-Connecting-IP": address });

  it("let in addresses inside them (IPv4, IPv6, IPv4 in IPv6), and are checked with each request", async () => {
    const { secret } = await issueToken(instance, { networks });
    for (const address of ["192.0.2.7", "2001:db8:a::7", "::ffff:192.0.2.7"]) {
      expect(await gate(secret, from(address))).toEqual(["let in"]);
    }
    for (const address of ["192.0.3.7", "2001:db8:b::7", "::ffff:192.0.3.7"]) {
      expect(await gate(secret, from(address))).toEqual([401, "invalid_secret"]);
    }
    expect(await gate(secret, from("192.0.2.7"))).toEqual(["let in"]);
  });

  it("refuse a missing or invalid address, whatever other headers say", async () => {
    const { secret } = await issueToken(instance, { networks });
    const spoofed = { "X-Forwarded-For": "192.0.2.7", "X-Real-IP": "192.0.2.7", "True-Client-IP": "192.0.2.7" };
    expect(await gate(secret)).toEqual([401, "invalid_secret"]);
    expect(await gate(secret, from("nowhere"))).toEqual([401, "invalid_secret"]);
    expect(await gate(secret, spoofed)).toEqual([401, "invalid_secret"]);
    expect(await gate(secret, { ...spoofed, ...from("203.0.113.9") })).toEqual([401, "invalid_secret"]);
  });

  it("are not revealed by the refusal, which only says that the token can't be used from this network", async () => {
    const { secret } = await issueToken(instance, { networks });
    const response = await isolate.send("/api/index/v1/nothing", { headers: { Authorization: `Bearer ${secret}` } });
    expect(readChallenge(response)).toMatchObject({ error: "invalid_token" });
    const { message } = await readRefusal(response);
    expect(message).toMatch(/^Invalid secret: the token can't be used from this network/);
    expect(message).not.toMatch(/192\.0\.2|2001:db8/);
  });

  it("are also checked by the Client API", async () => {
    const { administrationOf } = servicesOf(env);
    const order = {
      kind: "client-api" as const,
      name: "test",
      scopes: ["SEARCH"],
      person: "ada@acme.example",
      lifetimeSeconds: null,
    };
    const { secret } = await administrationOf(instance, "test").serviceTokens.issue({ ...order, networks }, true);
    expect((await search(secret, undefined, from("192.0.2.7"))).status).toBe(200);
    expect((await search(secret, undefined, from("192.0.3.7"))).status).toBe(401);
    expect((await search(secret)).status).toBe(401);
  });

  it("are validated and normalised when the token is issued", async () => {
    const { id } = await issueToken(instance, { networks: ["192.0.2.9/24", "192.0.2.0/24", "2001:DB8:A::1/48"] });
    const listed = (await allTokens(instance)).find((token) => token.id === id);
    expect(listed?.networks).toEqual(["192.0.2.0/24", "2001:db8:a::/48"]);
    for (const wrong of ["192.0.2.0/33", "everywhere", "", "10.0.0.0-10.0.0.9"]) {
      await expect(issueToken(instance, { networks: [wrong] })).rejects.toBeInstanceOf(AdministrationRefused);
    }
    const many = Array.from({ length: 51 }, (_, at) => `192.0.2.${at}`);
    await expect(issueToken(instance, { networks: many })).rejects.toBeInstanceOf(AdministrationRefused);
  });
});

describe("issuing an indexing token", () => {
  it.each([
    [["documents:wiki", "documents:tickets"], true],
    [["documents:global_scope"], true],
    [["custommetadata:team1"], true],
    [["custommetadata:global_scope"], true],
    [["custommetadata:team1", "custommetadata:team2"], false],
    [["custommetadata:team1", "documents:wiki"], false],
    [["custommetadata:team-1"], true],
    [["custommetadata:-team"], false],
    [["documents:"], false],
    [["documents:wiki:2"], false],
    [["documents:GLOBAL_SCOPE"], false],
    [["documents"], false],
    [["SEARCH"], false],
    [["documents:wiki", "SEARCH"], false],
    [[], false],
  ])("is possible with the scopes %j: %s", async (scopes, issued) => {
    const answer = await issueToken(instance, { scopes }).then(
      () => true,
      (error: unknown) => error instanceof AdministrationRefused && false,
    );
    expect(answer).toBe(issued);
  });

  it("needs an expiry within 366 days, and is refused with a person", async () => {
    const day = 24 * HOUR_SECONDS;
    await issueToken(instance, { lifetimeSeconds: 366 * day });
    for (const changes of [{ lifetimeSeconds: null }, { lifetimeSeconds: 367 * day }, { person: "ada@acme.example" }]) {
      await expect(issueToken(instance, changes)).rejects.toBeInstanceOf(AdministrationRefused);
    }
  });
});

describe("the cached decision about a service-issued token", () => {
  it("needs no storage for an hour, whether the token is let in or refused", async () => {
    const [good, narrow, revoked] = [
      await issueToken(instance, { lifetimeSeconds: 3 * HOUR_SECONDS }),
      await issueToken(instance, { lifetimeSeconds: 3 * HOUR_SECONDS, networks: ["192.0.2.1"] }),
      await issueToken(instance, { lifetimeSeconds: 3 * HOUR_SECONDS }),
    ];
    await servicesOf(env).administrationOf(instance, "test").serviceTokens.revoke(revoked.id);
    const all = async () => [await gate(good.secret), await gate(narrow.secret), await gate(revoked.secret)];
    const decided = await all();
    expect(decided).toEqual([["let in"], [401, "invalid_secret"], [401, "invalid_secret"]]);
    isolate.reset();
    for (let call = 0; call < 5; call += 1) expect(await all()).toEqual(decided);
    expect(isolate.statements).toBe(0);
    // The policy snapshot is read again, and the use in another hour is recorded, but the token itself is not read.
    travel(HOUR_SECONDS - 10);
    isolate.reset();
    await gate(good.secret);
    const withSnapshot = isolate.statements;
    // The first refusal of a minute writes how many there were.
    await gate("nonsense");
    isolate.reset();
    expect(await all()).toEqual(decided);
    expect(isolate.statements).toBe(0);
    travel(10);
    await gate("nonsense");
    isolate.reset();
    expect(await gate(good.secret)).toEqual(["let in"]);
    expect(isolate.statements).toBeGreaterThan(0);
    expect(isolate.statements).toBeLessThan(withSnapshot);
  });

  it("is not needed for a text of another form, kind or checksum, which is refused without storage", async () => {
    const { secret } = await issueToken(instance);
    await gate(secret);
    isolate.reset();
    const mistyped = `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`;
    for (const text of [
      "nonsense",
      mistyped,
      secret.slice(0, -1),
      `${secret}A`,
      await makeServiceToken("client-api"),
    ]) {
      expect(await gate(text)).toEqual([401, "invalid_secret"]);
    }
    expect(isolate.statements).toBe(0);
  });

  it("is renewed after ten seconds for an unknown token, so that one created in the meantime is found", async () => {
    const secret = await makeServiceToken("indexing");
    expect(await gate(secret)).toEqual([401, "invalid_secret"]);
    const { id } = await issueToken(instance);
    await env.DB.prepare("UPDATE service_token_secrets SET secret_hash = ?1 WHERE token_id = ?2")
      .bind(await hashToken(secret), id)
      .run();
    isolate.reset();
    for (let call = 0; call < 5; call += 1) expect(await gate(secret)).toEqual([401, "invalid_secret"]);
    expect(isolate.statements).toBe(0);
    travel(REACH_SECONDS);
    expect(await gate(secret)).toEqual(["let in"]);
  });

  it("stays cached for a genuine token, and many invented tokens cost at most about one read each", async () => {
    const { secret } = await issueToken(instance);
    expect(await gate(secret)).toEqual(["let in"]);
    isolate.reset();
    const invented = await Promise.all(Array.from({ length: 300 }, () => makeServiceToken("indexing")));
    for (const token of invented) expect(await gate(token)).toEqual([401, "invalid_secret"]);
    expect(isolate.statements).toBeLessThanOrEqual(invented.length + 50);
    isolate.reset();
    expect(await gate(secret)).toEqual(["let in"]);
    expect(isolate.statements).toBe(0);
  });
});

describe("a service-issued token ends", () => {
  it("when it is revoked, within ten seconds in an isolate that has cached it", async () => {
    const [ended, kept] = [await issueToken(instance), await issueToken(instance)];
    for (const { secret } of [ended, kept]) expect(await gate(secret)).toEqual(["let in"]);
    await servicesOf(env).administrationOf(instance, "test").serviceTokens.revoke(ended.id);
    travel(REACH_SECONDS);
    expect(await gate(ended.secret)).toEqual([401, "invalid_secret"]);
    expect(await gate(kept.secret)).toEqual(["let in"]);
  });

  it("when it is revoked by a machine whose clock is ten minutes behind", async () => {
    const { id, secret } = await issueToken(instance);
    travel(1200);
    expect(await gate(secret)).toEqual(["let in"]);
    travel(-600);
    await servicesOf(env).administrationOf(instance, "test").serviceTokens.revoke(id);
    travel(600 + REACH_SECONDS);
    expect(await gate(secret)).toEqual([401, "invalid_secret"]);
  });

  it("when it is revoked in the same second as a rotation that the isolate has seen", async () => {
    const { id, secret } = await issueToken(instance);
    const { administrationOf } = servicesOf(env);
    await administrationOf(instance, "test").serviceTokens.rotate(id, false);
    expect(await gate(secret)).toEqual(["let in"]);
    await administrationOf(instance, "test").serviceTokens.revoke(id);
    travel(REACH_SECONDS);
    expect(await gate(secret)).toEqual([401, "invalid_secret"]);
  });

  it("when it expires, to the second, although it is cached", async () => {
    const { secret } = await issueToken(instance, { lifetimeSeconds: 60 });
    expect(await gate(secret)).toEqual(["let in"]);
    travel(58);
    expect(await gate(secret)).toEqual(["let in"]);
    travel(2);
    expect(await gate(secret)).toEqual([401, "invalid_secret"]);
  });

  it("permanently when its person is deactivated, even if they are reactivated", async () => {
    const secret = await issueClientApiToken(instance, "carla@acme.example", "SEARCH");
    expect((await isolate.search(secret)).status).toBe(200);
    await setDeactivated(instance, "carla@acme.example");
    travel(REACH_SECONDS);
    expect((await isolate.search(secret)).status).toBe(401);
    await setDeactivated(instance, "carla@acme.example", false);
    travel(REACH_SECONDS);
    expect((await isolate.search(secret)).status).toBe(401);
  });
});

describe("while the database fails", () => {
  it("a cached token is let in as long as the policy snapshot may be used; another gets 503", async () => {
    const [seen, unseen] = [await issueToken(instance), await issueToken(instance)];
    expect(await gate(seen.secret)).toEqual(["let in"]);
    isolate.failing = true;
    for (const seconds of [4, 20, 30]) {
      travel(seconds);
      expect(await gate(seen.secret)).toEqual(["let in"]);
      expect(await gate(unseen.secret)).toEqual([503, "temporarily_unavailable"]);
    }
    travel(6);
    expect(await gate(seen.secret)).toEqual([503, "temporarily_unavailable"]);
    isolate.failing = false;
    for (const { secret } of [seen, unseen]) expect(await gate(secret)).toEqual(["let in"]);
  });

  it("a token is let in although its use can't be recorded", async () => {
    const { id, secret } = await issueToken(instance, { lifetimeSeconds: 3 * HOUR_SECONDS });
    expect(await gate(secret)).toEqual(["let in"]);
    const first = await lastUsed(id);
    // To the last second of an hour with a new snapshot, so that the next hour begins while the snapshot may still be used.
    travel(HOUR_SECONDS - (Math.floor(Date.now() / 1000) % HOUR_SECONDS) - 1);
    expect(await gate(secret)).toEqual(["let in"]);
    isolate.failing = true;
    travel(2);
    expect(await gate(secret)).toEqual(["let in"]);
    expect(await lastUsed(id)).toBe(first);
  });
});

describe("a service-issued token's last use", () => {
  it("is recorded once an hour, rounded down to the hour", async () => {
    const { id, secret } = await issueToken(instance, { lifetimeSeconds: 3 * HOUR_SECONDS });
    expect(await lastUsed(id)).toBeNull();
    expect(await gate(secret)).toEqual(["let in"]);
    const first = Math.floor(Date.now() / 1000);
    expect(await lastUsed(id)).toBe(first - (first % HOUR_SECONDS));
    travel(HOUR_SECONDS);
    await gate("nonsense");
    isolate.reset();
    expect(await gate(secret)).toEqual(["let in"]);
    const statements = isolate.statements;
    expect(await lastUsed(id)).toBe(first - (first % HOUR_SECONDS) + HOUR_SECONDS);
    expect(statements).toBe(2);
    expect(await gate(secret)).toEqual(["let in"]);
    expect(isolate.statements).toBe(statements);
  });

  it("is not recorded again by an isolate if another has recorded the hour", async () => {
    const { secret } = await issueToken(instance);
    await gate(secret);
    isolate = new ObservedIsolate();
    await gate("nonsense");
    isolate.reset();
    expect(await gate(secret)).toEqual(["let in"]);
    expect(isolate.statements).toBe(1);
  });

  it("never moves back, even if an isolate records a use late", async () => {
    const { id } = await issueToken(instance);
    const store = new D1ServiceTokens(audited());
    for (const usedAt of [HOUR_SECONDS, 3 * HOUR_SECONDS, 2 * HOUR_SECONDS]) {
      await store.recordUse(instance.id, id, usedAt);
    }
    expect(await lastUsed(id)).toBe(3 * HOUR_SECONDS);
  });

  it("is not recorded for refused requests", async () => {
    const { id, secret } = await issueToken(instance, { networks: ["192.0.2.1"] });
    expect(await gate(secret)).toEqual([401, "invalid_secret"]);
    const atOtherApi = await send("/rest/api/v1/search", {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "CF-Connecting-IP": "192.0.2.1" },
    });
    expect(atOtherApi.status).toBe(401);
    expect(await lastUsed(id)).toBeNull();
  });
});
