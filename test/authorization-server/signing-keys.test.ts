import type { InstanceRecord } from "#instance/instances.ts";
import worker from "#index.ts";
import { servicesOf } from "#services.ts";
import { createScheduledController } from "cloudflare:test";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, search, type TokenAnswer } from "../support/app-client.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { env } from "../support/isolate.ts";
import { expectTokens } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { makeInstance, ORIGIN, send, travel } from "../support/world.ts";

const DAY = 24 * 3600;

describe("signing keys (RFC 7517, RFC 9068 §4)", () => {
  let instance: InstanceRecord;

  beforeAll(async () => {
    instance = await makeInstance("acme", { accessTokenLifetimeSeconds: DAY, grantIdleSeconds: 90 * DAY });
  });
  beforeEach(async () => {
    await env.DB.prepare("DELETE FROM signing_keys").run();
    servicesOf(env).policySnapshots.expire("acme");
  });
  afterEach(() => void vi.useRealTimers());

  async function keySet(): Promise<JSONWebKeySet> {
    const response = await send("/oauth/jwks");
    expect(response.status).toBe(200);
    return response.json<JSONWebKeySet>();
  }

  async function publishedKids(): Promise<string[]> {
    return (await keySet()).keys.map((key) => key.kid ?? "").sort();
  }

  async function rows(): Promise<Record<string, unknown>[]> {
    const statement = env.DB.prepare("SELECT * FROM signing_keys WHERE instance_id = ?1").bind(instance.id);
    return (await statement.all()).results;
  }

  function kidOf(token: string): string {
    return String(takeApart(token).header["kid"]);
  }

  async function searchStatus(token: string): Promise<number> {
    return (await search(token)).status;
  }

  /** Verifies a token as another party would that has only the key set. */
  async function verifies(token: string): Promise<boolean> {
    const currentDate = new Date();
    const verified = jwtVerify(token, createLocalJWKSet(await keySet()), { issuer: ORIGIN, currentDate });
    return verified.then(
      () => true,
      () => false,
    );
  }

  async function cron(): Promise<void> {
    await worker.scheduled(createScheduledController(), env);
  }

  /** Returns a person's tokens and how to refresh them. Only the sign-in needs the SSO, whose clock doesn't advance. */
  async function signIn(): Promise<{ first: TokenAnswer; refresh: () => Promise<TokenAnswer> }> {
    const client = await AppClient.registered();
    const first = await client.tokens();
    let latest = first.refresh_token;
    const refresh = async () => {
      const next = await expectTokens(await client.refresh(latest));
      latest = next.refresh_token;
      return next;
    };
    return { first, refresh };
  }

  it("are created once, however many first requests come at once", async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 2 === 0 ? send("/oauth/jwks") : new ObservedIsolate().send("/oauth/jwks"),
      ),
    );
    const sets = await Promise.all(responses.map((response) => response.json<JSONWebKeySet>()));
    expect(await rows()).toHaveLength(1);
    expect(new Set(sets.map((set) => set.keys.map((key) => key.kid).join())).size).toBe(1);
    expect(sets[0]?.keys).toHaveLength(1);
  });

  it("are published without their private part, which is stored sealed for one instance", async () => {
    const [key] = (await keySet()).keys;
    expect(Object.keys(key ?? {}).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
    expect(key).toMatchObject({ alg: "ES256", use: "sig", crv: "P-256" });
    const [row] = await rows();
    expect(row?.["sealed_private_jwk"]).toMatch(/^v2\.test\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
    expect(JSON.stringify(row)).not.toMatch(/\\"d\\"|"d"/);
    await makeInstance("thief");
    const { policySnapshots, signingKeys } = servicesOf(env);
    await send("http://thief.localhost/oauth/jwks");
    await env.DB.prepare(
      `UPDATE signing_keys SET sealed_private_jwk = ?1 WHERE instance_id = (SELECT id FROM instances WHERE name = ?2)`,
    )
      .bind(row?.["sealed_private_jwk"], "thief")
      .run();
    policySnapshots.expire("thief");
    const policy = await policySnapshots.of("thief", () => {});
    if (!policy) throw new Error("there is no such instance");
    await expect(signingKeys.active(policy)).rejects.toThrow(/does not open/);
  });

  it("stay the same for 30 days", async () => {
    const before = await publishedKids();
    travel(30 * DAY - 60);
    await cron();
    expect(await publishedKids()).toEqual(before);
  });

  it("change every 30 days: published a day before they sign, and trusted as long as their tokens last", async () => {
    const { first, refresh } = await signIn();
    const old = kidOf(first.access_token);
    travel(30 * DAY + 60);
    await cron();
    travel(60);
    const kids = await publishedKids();
    expect(kids).toHaveLength(2);
    expect(kids).toContain(old);
    const meanwhile = await refresh();
    expect(kidOf(meanwhile.access_token)).toBe(old);
    await cron();
    expect(await publishedKids()).toEqual(kids);

    travel(DAY - 180);
    await cron();
    const last = await refresh();
    expect(kidOf(last.access_token)).toBe(old);
    travel(180);
    await cron();
    const next = await refresh();
    expect(kids).toContain(kidOf(next.access_token));
    expect(kidOf(next.access_token)).not.toBe(old);
    for (const { access_token } of [last, next]) {
      expect(await searchStatus(access_token)).toBe(200);
      expect(await verifies(access_token)).toBe(true);
    }
    travel(DAY - 240);
    expect(await searchStatus(last.access_token)).toBe(200);
    expect(await verifies(last.access_token)).toBe(true);
    travel(300);
    expect(await publishedKids()).toEqual([kidOf(next.access_token)]);
  });

  it("change once if two cron triggers run at the same time", async () => {
    await publishedKids();
    travel(30 * DAY + 60);
    await Promise.all([cron(), cron()]);
    travel(60);
    expect(await publishedKids()).toHaveLength(2);
    travel(DAY + 60);
    await Promise.all([cron(), cron()]);
    const stages = (await rows()).map((row) => row["stage"]);
    expect(stages.filter((stage) => stage === "signing")).toHaveLength(1);
    expect(stages.filter((stage) => stage === "next")).toHaveLength(0);
    expect(stages).toHaveLength(2);
  });

  it("can be changed immediately: old tokens stay valid, and an isolate that hasn't seen the new key accepts its tokens", async () => {
    const { first, refresh } = await signIn();
    const isolate = new ObservedIsolate();
    expect((await isolate.search(first.access_token)).status).toBe(200);
    travel(2);
    await servicesOf(env).administrationOf(instance, "test").signingKeys.rotate(false);
    const next = await refresh();
    expect(kidOf(next.access_token)).not.toBe(kidOf(first.access_token));
    for (const { access_token } of [first, next]) {
      expect(await searchStatus(access_token)).toBe(200);
      expect((await isolate.search(access_token)).status).toBe(200);
      expect(await verifies(access_token)).toBe(true);
    }
  });

  it("end with all their tokens if they are compromised, but apps can still refresh", async () => {
    const { first, refresh } = await signIn();
    const isolate = new ObservedIsolate();
    const there = () => isolate.send("/oauth/jwks");
    await there();
    expect(await searchStatus(first.access_token)).toBe(200);
    await servicesOf(env).administrationOf(instance, "test").signingKeys.rotate(true);
    expect(await searchStatus(first.access_token)).toBe(401);
    expect(await verifies(first.access_token)).toBe(false);
    const next = await refresh();
    expect(await searchStatus(next.access_token)).toBe(200);
    expect(await publishedKids()).toEqual([kidOf(next.access_token)]);
    travel(10);
    const set = await (await there()).json<JSONWebKeySet>();
    expect(set.keys.map((key) => key.kid)).toEqual([kidOf(next.access_token)]);
    const entry = env.DB.prepare(
      "SELECT event, actor, detail FROM audit WHERE instance_id = ?1 ORDER BY sequence DESC LIMIT 1",
    );
    expect(await entry.bind(instance.id).first()).toEqual({
      event: "signing_key_rotated",
      actor: "test",
      detail: '{"isCompromised":true}',
    });
  });
});
