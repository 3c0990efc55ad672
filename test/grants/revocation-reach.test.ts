import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { env } from "../support/isolate.ts";
import { ObservedIsolate, WORDLESS } from "../support/observed-isolate.ts";
import {
  changeSettings,
  disableClient,
  issueClientApiToken,
  makeInstance,
  setDeactivated,
  travel,
  requireClient,
} from "../support/world.ts";

/** The most seconds until a revocation takes effect in an isolate that did not make it. */
const REACH_SECONDS = 10;

let instance: InstanceRecord;
let app: AppClient;
let registered = 0;
/** Another isolate, which learns of revocations only from storage. */
let isolate: ObservedIsolate;

beforeAll(async () => {
  instance = await makeInstance();
});

beforeEach(async () => {
  app = await AppClient.registered({ client_name: `App ${(registered += 1)}` });
  isolate = new ObservedIsolate();
});

afterEach(() => vi.useRealTimers());

/** Gets a token that the other isolate has verified and accepted. */
async function tokenInUse(sub = "ben"): Promise<string> {
  const { access_token } = await app.tokens(sub);
  expect((await isolate.search(access_token)).status).toBe(200);
  return access_token;
}

async function refusal(token: string): Promise<unknown[]> {
  const response = await isolate.search(token);
  return response.status === 200 ? [200] : [response.status, (await readRefusal(response)).error];
}

describe("a revocation, within ten seconds in every isolate", () => {
  it("ends a grant that its client revokes, and no other of the same person and client", async () => {
    const [ended, kept] = [await tokenInUse(), await tokenInUse()];
    await app.revoke(ended);
    travel(REACH_SECONDS);
    expect(await refusal(ended)).toEqual([401, "invalid_token"]);
    expect(await refusal(kept)).toEqual([200]);
  });

  it("ends a grant whose code was redeemed twice (RFC 9700 §2.1.1)", async () => {
    const authorized = await app.authorize();
    const { access_token } = await (await app.redeem(authorized)).json<{ access_token: string }>();
    expect(await refusal(access_token)).toEqual([200]);
    expect((await app.redeem(authorized)).status).toBe(400);
    travel(REACH_SECONDS);
    expect(await refusal(access_token)).toEqual([401, "invalid_token"]);
  });

  it("ends the access of a disabled client, but not of the same person's other clients", async () => {
    const token = await tokenInUse();
    const other = await AppClient.registered({ client_name: "Other app" });
    const kept = (await other.tokens()).access_token;
    await disableClient(instance, app.clientId);
    travel(REACH_SECONDS);
    expect(await refusal(token)).toEqual([403, "client_not_enabled"]);
    expect(await refusal(kept)).toEqual([200]);
  });

  it("ends a scope that an administrator takes from a client", async () => {
    app = await AppClient.madeByAdministrator(instance);
    const token = await tokenInUse();
    const client = await requireClient(instance, app.clientId);
    travel(1);
    await servicesOf(env)
      .administrationOf(instance, "test")
      .clients.change(client, { scopes: ["CHAT"] });
    travel(REACH_SECONDS);
    expect(await refusal(token)).toEqual([403, "insufficient_scope"]);
  });

  it("ends a deactivated person's access with every credential, but not other people's", async () => {
    const [deactivated, kept] = [await tokenInUse("ben"), await tokenInUse("carla")];
    const serviceIssued = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
    expect(await refusal(serviceIssued)).toEqual([200]);
    await setDeactivated(instance, "ben@acme.example");
    travel(REACH_SECONDS);
    expect(await refusal(deactivated)).toEqual([401, "invalid_token"]);
    expect(await refusal(serviceIssued)).toEqual([401, "invalid_secret"]);
    expect(await refusal(kept)).toEqual([200]);
    await setDeactivated(instance, "ben@acme.example", false);
    travel(REACH_SECONDS);
    expect(await refusal(deactivated)).toEqual([401, "invalid_token"]);
    expect(await refusal(serviceIssued)).toEqual([401, "invalid_secret"]);
    expect(await refusal(await tokenInUse("ben"))).toEqual([200]);
  });

  it("follows the administrator's switch of OAuth, both ways", async () => {
    const token = await tokenInUse();
    await changeSettings("acme", { oauthEnabled: false });
    travel(REACH_SECONDS);
    expect(await refusal(token)).toEqual([403, "oauth_not_enabled"]);
    await changeSettings("acme", { oauthEnabled: true });
    travel(REACH_SECONDS);
    expect(await refusal(token)).toEqual([200]);
  });

  it("ends a service-issued token", async () => {
    const { administrationOf } = servicesOf(env);
    const order = {
      kind: "client-api" as const,
      name: "test",
      scopes: ["SEARCH"],
      person: "carla@acme.example",
      lifetimeSeconds: null,
    };
    const { token, secret } = await administrationOf(instance, "test").serviceTokens.issue(order, true);
    expect(await refusal(secret)).toEqual([200]);
    await administrationOf(instance, "test").serviceTokens.revoke(token.id);
    travel(REACH_SECONDS);
    expect(await refusal(secret)).toEqual([401, "invalid_secret"]);
  });

  it("ends a token that the isolate has not seen before", async () => {
    await tokenInUse();
    const { access_token } = await app.tokens();
    await app.revoke(access_token);
    travel(REACH_SECONDS);
    expect(await refusal(access_token)).toEqual([401, "invalid_token"]);
  });

  it("takes effect after half that time by a renewal after the response, so that nobody waits for it", async () => {
    const token = await tokenInUse();
    await app.revoke(token);
    travel(REACH_SECONDS / 2);
    expect(await refusal(token)).toEqual([200]);
    expect(await refusal(token)).toEqual([401, "invalid_token"]);
  });
});

describe("the warm path of the gate", () => {
  it("needs no storage for a token that was verified before, or for a refusal", async () => {
    const token = await tokenInUse();
    isolate.reset();
    for (let call = 0; call < 5; call += 1) expect(await refusal(token)).toEqual([200]);
    expect((await isolate.search(undefined)).status).toBe(401);
    expect((await isolate.search("nonsense")).status).toBe(401);
    expect(isolate.statements).toBe(0);
  });

  it("needs no storage for a token that it sees for the first time", async () => {
    await tokenInUse();
    const { access_token } = await app.tokens();
    isolate.reset();
    expect(await refusal(access_token)).toEqual([200]);
    expect(isolate.statements).toBe(0);
  });

  it("needs no storage for a service-issued token, known or mistyped", async () => {
    const token = await issueClientApiToken(instance, "carla@acme.example", "SEARCH");
    expect(await refusal(token)).toEqual([200]);
    isolate.reset();
    expect(await refusal(token)).toEqual([200]);
    expect(await refusal(`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`)).toEqual([401, "invalid_secret"]);
    expect(isolate.statements).toBe(0);
  });

  it("needs no storage for a search, because the person was read together with the policy", async () => {
    const token = await tokenInUse();
    isolate.reset();
    // Words of three letters and more that find nothing are counted, after the response.
    expect((await isolate.search(token, { query: "ab" })).status).toBe(200);
    expect((await isolate.search(token, WORDLESS)).status).toBe(200);
    expect(isolate.statements).toBe(0);
  });

  it("needs no more storage for invented key ids after a renewal in the same second, however many come", async () => {
    const token = await tokenInUse();
    const [, ...rest] = token.split(".");
    const header = (kid: number) =>
      btoa(JSON.stringify({ alg: "ES256", typ: "at+jwt", kid: `k${kid}` })).replace(/=/g, "");
    travel(1);
    expect(await refusal([header(0), ...rest].join("."))).toEqual([401, "invalid_token"]);
    isolate.reset();
    for (let kid = 1; kid <= 20; kid += 1) {
      expect(await refusal([header(kid), ...rest].join("."))).toEqual([401, "invalid_token"]);
    }
    expect(isolate.statements).toBe(0);
  });
});
