import { Keyring } from "#crypto/keyring.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { resealSecrets } from "../../scripts/admin/master-keys/reseal.ts";
import { ScriptedBrowser } from "../../scripts/local/scripted-browser.ts";
import { auditEntries } from "../support/audit-entries.ts";
import { AppClient, CHALLENGE, type TokenAnswer } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { expectOAuthError } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { changeSettings, makeInstance, travel } from "../support/world.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

const OLD = env.MASTER_KEYS;
const NEW = `next:${"N".repeat(42)}A`;
const BOTH = `${NEW},${OLD}`;

let instance: InstanceRecord;
let app: AppClient;
let names = 0;

beforeEach(async () => {
  await env.DB.exec("DELETE FROM master_keys");
  // Each test has another instance at the same host, which is renamed after the test.
  instance = await makeInstance("acme", { grantIdleSeconds: 2 * DAY, grantLifetimeSeconds: 30 * DAY });
  app = await AppClient.madeByAdministrator(instance);
});
afterEach(async () => {
  vi.useRealTimers();
  names += 1;
  await env.DB.prepare("UPDATE instances SET name = ?1, single_sign_on = NULL WHERE name = 'acme'")
    .bind(`gone-${names}`)
    .run();
  await env.DB.exec("DELETE FROM signing_keys");
  await env.DB.exec("UPDATE grants SET revoked_at = 1");
  servicesOf(env).policySnapshots.expire("acme");
});

describe("a new master key before the old one", () => {
  it("keeps access tokens and refresh tokens valid", async () => {
    const { access_token, refresh_token } = await app.tokens();
    const both = new ObservedIsolate({ MASTER_KEYS: BOTH });
    expect((await both.search(access_token)).status).toBe(200);
    const refreshed = await refresh(both, refresh_token);
    expect((await both.search(refreshed.access_token)).status).toBe(200);
    expect((await refresh(new ObservedIsolate({ MASTER_KEYS: BOTH }), refreshed.refresh_token)).scope).toBeTruthy();
  });

  it("lets people return who are at the SSO meanwhile", async () => {
    const before = new ObservedIsolate({ MASTER_KEYS: OLD });
    const both = new ObservedIsolate({ MASTER_KEYS: BOTH });
    expect((await signIn(before, both)).status).toBe(200);
  });

  it("is not enough to remove the old one: nobody could sign in, and nothing could be signed", async () => {
    const { refresh_token } = await app.tokens();
    const alone = new ObservedIsolate({ MASTER_KEYS: NEW });
    expect((await signIn(alone)).status).toBe(503);
    expect((await refreshing(alone, refresh_token)).status).toBe(503);
  });
});

describe("master-key reseal", () => {
  it("seals every secret with the new key, so that the old one can go, and with it its refresh tokens", async () => {
    const { refresh_token } = await app.tokens();
    const unused = await app.tokens();
    const both = new ObservedIsolate({ MASTER_KEYS: BOTH });
    const refreshed = await refresh(both, refresh_token);
    expect(await reseal()).toMatchObject({ currentKey: "next", resealed: 2, unopenable: [], olderKeys: ["test"] });
    const alone = new ObservedIsolate({ MASTER_KEYS: NEW });
    expect((await signIn(alone)).status).toBe(200);
    const again = await refresh(alone, refreshed.refresh_token);
    expect((await alone.search(again.access_token)).status).toBe(200);
    await expectOAuthError(await refreshing(alone, unused.refresh_token), 400, "invalid_grant");
  });

  it("changes nothing if everything is sealed with the current key already, and adds no audit entry", async () => {
    await app.tokens();
    await reseal();
    const before = await sealedValues();
    expect(await reseal()).toMatchObject({ resealed: 0 });
    expect(await sealedValues()).toEqual(before);
    const entries = await auditEntries(instance, "secret_resealed");
    expect(entries.map(({ detail }) => detail)).toEqual([
      { masterKey: "next", kind: "single-sign-on", kid: "" },
      { masterKey: "next", kind: "signing-key", kid: expect.any(String) },
    ]);
  });

  it("changes no secret whose audit entry can't be written", async () => {
    const before = await sealedValues();
    await env.DB.exec("CREATE TRIGGER audit_refuses BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'refused'); END");
    await expect(reseal()).rejects.toThrow();
    await env.DB.exec("DROP TRIGGER audit_refuses");
    expect(await sealedValues()).toEqual(before);
  });

  it("says until when refresh tokens of the old key may come: no longer than a grant may be idle", async () => {
    const now = Math.floor(Date.now() / 1000);
    await app.tokens();
    const { currentSince, oldRefreshTokens, olderKeysNeededUntil } = await reseal();
    expect(currentSince).toBeGreaterThanOrEqual(now);
    expect(oldRefreshTokens).toBe(1);
    expect(olderKeysNeededUntil).toBeGreaterThanOrEqual(now + 2 * DAY);
    expect(olderKeysNeededUntil).toBeLessThan(now + 2 * DAY + 60);
    travel(2 * DAY + 60);
    expect(await reseal()).toMatchObject({ oldRefreshTokens: 0, olderKeysNeededUntil: null, currentSince });
  });

  it("needs the old key no longer than a grant's lifetime", async () => {
    await changeSettings("acme", { grantIdleSeconds: 2 * DAY, grantLifetimeSeconds: DAY });
    const now = Math.floor(Date.now() / 1000);
    await app.tokens();
    expect((await reseal()).olderKeysNeededUntil).toBeLessThan(now + DAY + 60);
  });

  it("waits for no grant that has refreshed since, was revoked, or never refreshes", async () => {
    const { refresh_token } = await app.tokens();
    const revoked = await app.tokens();
    await app.tokens("ben", { scope: "SEARCH" });
    expect(await reseal()).toMatchObject({ oldRefreshTokens: 2 });
    await app.revoke(revoked.refresh_token);
    expect(await reseal()).toMatchObject({ oldRefreshTokens: 1 });
    travel(HOUR);
    await refresh(new ObservedIsolate({ MASTER_KEYS: BOTH }), refresh_token);
    expect(await reseal()).toMatchObject({ oldRefreshTokens: 0, olderKeysNeededUntil: null });
  });

  it("keeps the old key for at least an hour, for sign-ins in progress", async () => {
    const { currentSince, olderKeysNeededUntil } = await reseal();
    expect(olderKeysNeededUntil).toBe(currentSince + HOUR);
    travel(HOUR + 1);
    expect((await reseal()).olderKeysNeededUntil).toBe(null);
  });

  it("names what no configured key opens, and reseals the rest", async () => {
    await app.tokens();
    await env.DB.prepare("UPDATE signing_keys SET sealed_private_jwk = 'v2.lost.AAAA.AAAA' WHERE instance_id = ?1")
      .bind(instance.id)
      .run();
    const { resealed, unopenable } = await reseal();
    expect(resealed).toBe(1);
    expect(unopenable).toMatchObject([{ kind: "signing-key", instanceName: "acme" }]);
  });

  it("reseals the secret at each SSO", async () => {
    const [sso] = (await servicesOf(env).instances.require("acme")).singleSignOns;
    const other = await new Keyring(OLD).seal("single-sign-on:acme", "of the other");
    const ssos = [sso, { ...sso, issuer: "https://other.example", sealedClientSecret: other }];
    await env.DB.prepare("UPDATE instances SET single_sign_on = ?2 WHERE id = ?1")
      .bind(instance.id, JSON.stringify(ssos))
      .run();
    expect(await reseal()).toMatchObject({ resealed: 2, unopenable: [] });
    const { singleSignOns } = await servicesOf({ ...env, MASTER_KEYS: NEW }).instances.require("acme");
    const alone = new Keyring(NEW);
    const secrets = singleSignOns.map((each) => alone.open("single-sign-on:acme", each.sealedClientSecret));
    expect(await Promise.all(secrets)).toEqual([inject("sso").clientSecret, "of the other"]);
  });

  it("does not overwrite a secret that an administrator sets meanwhile", async () => {
    const { administrationOf } = servicesOf(env);
    const order = { ...inject("sso"), scopes: "openid", groupsClaim: "g", emailClaim: "email", requiredClaims: {} };
    const set = () =>
      administrationOf(instance, "test").singleSignOn.connect({ ...order, clientSecret: "set meanwhile" });
    let wasSet = false;
    const resealing = new Set<D1PreparedStatement>();
    const slow = {
      prepare: (sql: string) => {
        const statement = env.DB.prepare(sql);
        if (!sql.includes("replace(single_sign_on, ?2, ?3)")) return statement;
        return {
          bind: (...values: unknown[]) => {
            const bound = statement.bind(...values);
            resealing.add(bound);
            return bound;
          },
        };
      },
      batch: async (statements: D1PreparedStatement[]) => {
        if (statements.some((statement) => resealing.has(statement))) wasSet ||= await set().then(() => true);
        return env.DB.batch(statements);
      },
    } as unknown as D1Database;
    await resealIn({ ...env, MASTER_KEYS: BOTH, DB: slow });
    expect(wasSet).toBe(true);
    const [sealed = ""] = await sealedValues();
    expect(sealed).toMatch(/^v2\.test\./);
    expect(await reseal()).toMatchObject({ resealed: 1, unopenable: [] });
  });

  it("starts counting again when a key becomes current that was current before", async () => {
    const before = await resealIn({ ...env, MASTER_KEYS: OLD });
    travel(DAY);
    await reseal();
    travel(2 * DAY);
    const back = await resealIn({ ...env, MASTER_KEYS: `${OLD},${NEW}` });
    expect(back.currentSince).toBeGreaterThan(before.currentSince + DAY);
    expect(back.olderKeysNeededUntil).not.toBe(null);
  });
});

function reseal() {
  return resealIn({ ...env, MASTER_KEYS: BOTH });
}

function resealIn(bindings: typeof env) {
  return resealSecrets(bindings, servicesOf(bindings), "test");
}

async function sealedValues(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT json_extract(single_sign_on, '$[0].sealedClientSecret') AS sealed FROM instances WHERE id = ?1
     UNION ALL SELECT sealed_private_jwk FROM signing_keys WHERE instance_id = ?1`,
  )
    .bind(instance.id)
    .all<{ sealed: string }>();
  return results.map(({ sealed }) => sealed);
}

function refreshing(isolate: ObservedIsolate, refreshToken: string | undefined): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    client_id: app.clientId,
    refresh_token: refreshToken ?? "",
  });
  return isolate.send("/oauth/token", { method: "POST", body });
}

async function refresh(isolate: ObservedIsolate, refreshToken: string | undefined): Promise<TokenAnswer> {
  const response = await refreshing(isolate, refreshToken);
  expect(response.status).toBe(200);
  return response.json<TokenAnswer>();
}

/** Signs a person in, and returns the page that they see after the SSO. */
async function signIn(isolate: ObservedIsolate, cameBackTo = isolate): Promise<{ status: number }> {
  let answering = isolate;
  const browser = new ScriptedBrowser(app.redirectUri, (url, init) =>
    url.startsWith(inject("sso").issuer) ? fetch(url, init) : answering.send(url, init),
  );
  const picker = await browser.visit(app.authorizeUrl(CHALLENGE));
  if ("leftFor" in picker) throw new Error(`refused at once: ${picker.leftFor}`);
  answering = cameBackTo;
  const page = await browser.press(picker, { name: "sub", value: "ben" });
  if ("leftFor" in page) throw new Error(`refused after sign-in: ${page.leftFor}`);
  return page;
}
