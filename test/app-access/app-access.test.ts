import { issuersApp } from "#app-access/app-rules.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { Scope } from "#protocol/scopes.ts";
import { servicesOf } from "#services.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, CHALLENGE, postForm } from "../support/app-client.ts";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { signedInDirectly } from "../support/direct-sso.ts";
import { env } from "../support/isolate.ts";
import { MODERN, rpc } from "../support/mcp.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { knownPerson } from "../support/people.ts";
import { ANNOUNCED, CLIENT_ID, TestIssuer } from "../support/test-issuer.ts";
import { connectSso, makeInstance, requireClient, send, travel } from "../support/world.ts";

/** The most seconds until a change takes effect in an isolate that did not make it. */
const REACH_SECONDS = 10;

const SCOPES = ["SEARCH", "CHAT", "offline_access"] as const;

let instance: InstanceRecord;
let app: AppClient;

beforeAll(async () => {
  instance = await makeInstance();
  await connectSso(instance);
  await provision();
});
beforeEach(async () => {
  app = await AppClient.madeByAdministrator(instance, {
    scopes: [...SCOPES],
    tokenEndpointAuthMethod: "client_secret_post",
  });
  await beIn();
});
afterAll(() => vi.useRealTimers());

/** Replaces the rules, for example with `{sales: ["SEARCH"]}`. */
function rule(rules: Readonly<Record<string, readonly Scope[]>>, of = app.clientId) {
  const list = Object.entries(rules).map(([group, scopes]) => ({ group, scopes }));
  return servicesOf(env).administrationOf(instance, "administrator").appRules.replace(of, list);
}

/** Puts Ben into these groups of the directory that provisions him, and waits until every isolate has noticed. */
async function beIn(...groups: string[]) {
  await env.DB.batch([
    env.DB.prepare("DELETE FROM directory_members WHERE user_id = 'ben'"),
    ...groups.map((name) =>
      env.DB.prepare("INSERT INTO directory_members (instance_id, group_id, user_id) VALUES (?1, ?2, 'ben')").bind(
        instance.id,
        name,
      ),
    ),
  ]);
  travel(REACH_SECONDS);
}

/** Provisions Ben from a directory, so that groups from the SSO no longer count. */
async function provision() {
  const { id } = await knownPerson(instance, "ben@acme.example");
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO directory_users (id, instance_id, directory, person_id, user_name, is_active, attributes, revision, created_at,
         changed_at) VALUES ('ben', ?1, 'okta', ?2, 'ben', 1, '{}', 'r', 1, 1)`,
    ).bind(instance.id, id),
    ...["sales", "engineering"].map((name) =>
      env.DB.prepare(
        `INSERT INTO directory_groups (id, instance_id, directory, name, display_name, revision, created_at, changed_at)
         VALUES (?2, ?1, 'okta', ?2, ?2, 'r', 1, 1)`,
      ).bind(instance.id, name),
    ),
  ]);
}

/** Opens the page to which the app's authorization request leads Ben. */
async function come() {
  const browser = app.browser(signedInDirectly("ben", send));
  const page = await browser.visit(app.authorizeUrl(CHALLENGE, { scope: SCOPES.join(" ") }));
  if ("leftFor" in page) throw new Error(`there is no page: ${page.leftFor}`);
  return { browser, page };
}

async function scopeOf(response: Promise<Response>) {
  return (await expectTokens(await response)).scope.split(" ");
}

async function decision(isolate: ObservedIsolate, token: string, headers: Record<string, string> = {}) {
  const response = await isolate.search(token, undefined, headers);
  return response.status === 200 ? [200] : [response.status, (await readRefusal(response)).error];
}

const OUTSIDE = [403, "client_not_enabled"];
const WITHHELD = [403, "client_not_enabled"];

describe("an app that some groups may use", () => {
  it("is offered and granted only the scopes that the person's groups give", async () => {
    await rule({ sales: ["SEARCH"], engineering: ["SEARCH", "CHAT"] });
    await beIn("sales");
    const { page, browser } = await come();
    expect(page.status).toBe(200);
    expect([...page.html.matchAll(/name="scope" value="(\w+)"/g)].map(([, scope]) => scope)).toEqual(["SEARCH"]);
    const answer = await browser.press(
      { ...page, html: page.html.replaceAll('name="scope" value="SEARCH"', 'name="scope" value="CHAT"') },
      { name: "decision", value: "allow" },
    );
    expect("leftFor" in answer).toBe(false);
    expect((await app.tokens("ben", { scope: SCOPES.join(" ") })).scope).toBe("SEARCH");
  });

  it("gets access_denied if the person is in none of the groups, whatever they press, and the page says who decides", async () => {
    await rule({ sales: ["SEARCH"] });
    for (const pressed of ["deny", "allow"]) {
      const { page, browser } = await come();
      expect(page.status).toBe(403);
      expect(page.html).toContain("decides which groups of people may use this app");
      const forged = { ...page, html: page.html.replace('value="deny"', `value="${pressed}"`) };
      const answer = await browser.press(forged, { name: "decision", value: pressed });
      const { searchParams } = new URL("leftFor" in answer ? answer.leftFor : "about:blank");
      expect(searchParams.get("error")).toBe("access_denied");
      expect(searchParams.has("code")).toBe(false);
    }
  });

  it("gets no silent grant from an earlier consent after the person left the group", async () => {
    await beIn("sales");
    await rule({ sales: [...SCOPES] });
    await app.tokens("ben", { scope: SCOPES.join(" ") });
    await beIn();
    expect((await come()).page.status).toBe(403);
  });

  it("gets no tokens for a code if the person left the group meanwhile", async () => {
    await rule({ sales: [...SCOPES] });
    await beIn("sales");
    const authorized = await app.authorize("ben", { scope: SCOPES.join(" ") });
    await beIn();
    await expectOAuthError(await app.redeem(authorized), 400, "invalid_grant");
  });

  it("can't refresh while the person is outside the groups, and gets fewer scopes by the same token afterwards", async () => {
    const { refresh_token } = await app.tokens("ben", { scope: SCOPES.join(" ") });
    await rule({ sales: ["CHAT", "offline_access"] });
    await expectOAuthError(await app.refresh(refresh_token), 400, "invalid_grant");
    // Longer than a refresh token may be repeated: if it were spent, using it now would end the grant.
    travel(7200);
    await beIn("sales");
    expect(await scopeOf(app.refresh(refresh_token))).toEqual(["CHAT", "offline_access"]);
  });

  it("still loses its grant when an old refresh token is used, whoever may use the app", async () => {
    const first = await app.tokens("ben", { scope: SCOPES.join(" ") });
    const second = await expectTokens(await app.refresh(first.refresh_token));
    const third = await expectTokens(await app.refresh(second.refresh_token));
    await rule({ sales: [...SCOPES] });
    await expectOAuthError(await app.refresh(first.refresh_token), 400, "invalid_grant");
    await rule({});
    await expectOAuthError(await app.refresh(third.refresh_token), 400, "invalid_grant");
  });

  it("has its existing tokens follow changed rules and groups within ten seconds, in both directions", async () => {
    const { access_token } = await app.tokens("ben", { scope: SCOPES.join(" ") });
    const isolates = [new ObservedIsolate(), new ObservedIsolate()];
    const decisions = () => Promise.all(isolates.map((isolate) => decision(isolate, access_token)));
    expect(await decisions()).toEqual([[200], [200]]);
    await rule({ sales: ["CHAT"], engineering: ["SEARCH"] });
    travel(REACH_SECONDS);
    expect(await decisions()).toEqual([OUTSIDE, OUTSIDE]);
    await beIn("engineering");
    expect(await decisions()).toEqual([[200], [200]]);
    await beIn("sales");
    expect(await decisions()).toEqual([WITHHELD, WITHHELD]);
    await rule({});
    travel(REACH_SECONDS);
    expect(await decisions()).toEqual([[200], [200]]);
  });

  it("is never told to ask for a scope that the rules withhold, whether or not its token has the scope", async () => {
    const { access_token: wide } = await app.tokens("ben", { scope: SCOPES.join(" ") });
    await rule({ sales: ["SEARCH"], engineering: ["CHAT"] });
    await beIn("engineering");
    const { access_token: narrowed, scope } = await app.tokens("ben", { scope: SCOPES.join(" ") });
    expect(scope).toBe("CHAT");
    for (const token of [wide, narrowed]) {
      const isolate = new ObservedIsolate();
      expect(await decision(isolate, token)).toEqual(WITHHELD);
      const call = { name: "search", arguments: { query: "x" } };
      const { response, answer } = await rpc(token, MODERN, "tools/call", call);
      expect([response.status, readChallenge(response)["error"]]).toEqual([200, "client_not_enabled"]);
      expect(JSON.stringify(answer)).not.toContain("www_authenticate");
    }
    await beIn("sales");
    travel(REACH_SECONDS);
    // Now the rules allow the person what the token lacks.
    expect(await decision(new ObservedIsolate(), narrowed)).toEqual([403, "insufficient_scope"]);
  });

  it("doesn't learn who the person is if the rules withhold it, and is not told to ask for the scope", async () => {
    const scopes = ["SEARCH", "openid", "email"] as const;
    app = await AppClient.madeByAdministrator(instance, { scopes, tokenEndpointAuthMethod: "client_secret_post" });
    const { access_token } = await app.tokens("ben", { scope: scopes.join(" ") });
    const userInfo = async () => {
      const response = await send("/oauth/userinfo", { headers: { Authorization: `Bearer ${access_token}` } });
      return response.ok
        ? Object.keys(await response.json<object>())
        : [response.status, readChallenge(response)["error"]];
    };
    expect(await userInfo()).toEqual(["sub", "name", "email", "email_verified"]);
    await rule({ "*": ["SEARCH", "openid"] });
    expect(await userInfo()).toEqual(["sub"]);
    await rule({ "*": ["SEARCH"] });
    expect(await userInfo()).toEqual(WITHHELD);
  });

  it("needs no storage for a call on the warm path", async () => {
    await beIn("sales");
    await rule({ sales: [...SCOPES] });
    const { access_token } = await app.tokens("ben", { scope: SCOPES.join(" ") });
    const isolate = new ObservedIsolate();
    expect(await decision(isolate, access_token)).toEqual([200]);
    isolate.reset();
    expect(await decision(isolate, access_token)).toEqual([200]);
    expect(isolate.statements).toBe(0);
  });

  it("has its rules applied by introspection", async () => {
    const { access_token } = await app.tokens("ben", { scope: SCOPES.join(" ") });
    const introspect = async () => {
      const form = { client_id: app.clientId, client_secret: app.secret, token: access_token };
      return (await postForm("/oauth/introspect", form)).json<{ active: boolean; scope?: string }>();
    };
    await rule({ "*": ["CHAT"] });
    expect(await introspect()).toMatchObject({ active: true, scope: "CHAT" });
    await rule({ sales: ["CHAT"] });
    expect(await introspect()).toEqual({ active: false });
  });

  it("may be an identity provider's app, named by its issuer and client id", async () => {
    const issuer = await TestIssuer.publishing("rsa");
    await issuer.register(instance);
    const forge = await issuer.forge();
    const token = await forge.sign(forge.header, forge.claims);
    const isolate = new ObservedIsolate();
    expect(await decision(isolate, token, ANNOUNCED)).toEqual([200]);
    await rule({ sales: ["SEARCH"] }, issuersApp(issuer.url, CLIENT_ID));
    travel(REACH_SECONDS);
    expect(await decision(isolate, token, ANNOUNCED)).toEqual(OUTSIDE);
    await beIn("sales");
    expect(await decision(isolate, token, ANNOUNCED)).toEqual([200]);
  });
});

describe("rules for all apps that no administrator created", () => {
  const ALL = "self-registered";
  const registered = () => AppClient.registered({ scope: SCOPES.join(" ") });

  it("apply to an app that is in use, and to one that was removed and registers again", async () => {
    const wanted = { scope: SCOPES.join(" ") };
    app = await registered();
    const { access_token: token, refresh_token } = await app.tokens("ben", wanted);
    const isolate = new ObservedIsolate();
    expect(await decision(isolate, token)).toEqual([200]);
    await rule({ sales: ["SEARCH"] }, ALL);
    travel(REACH_SECONDS);
    expect(await decision(isolate, token)).toEqual(OUTSIDE);
    await expectOAuthError(await app.refresh(refresh_token ?? ""), 400, "invalid_grant");
    await servicesOf(env).administrationOf(instance, "administrator").clients.remove(app.clientId);
    app = await registered();
    expect((await come()).page.status).toBe(403);
    await beIn("sales");
    expect((await app.tokens("ben", wanted)).scope).toBe("SEARCH");
  });

  it("don't apply to apps with their own rules or to apps of administrators", async () => {
    await rule({ sales: ["SEARCH"] }, ALL);
    const wanted = { scope: "SEARCH CHAT" };
    expect((await app.tokens("ben", wanted)).scope).toBe("SEARCH CHAT");
    app = await registered();
    await rule({ "*": ["CHAT"] }, (await requireClient(instance, app.clientId)).app);
    expect((await app.tokens("ben", wanted)).scope).toBe("CHAT");
    await rule({}, ALL);
  });
});

describe("the rules of an app", () => {
  it("are only stored for an existing app, and are deleted with it", async () => {
    await expect(rule({ sales: ["SEARCH"] }, "no-such-app")).rejects.toThrow("There is no such app");
    await rule({ sales: ["SEARCH"] });
    await servicesOf(env).administrationOf(instance, "administrator").clients.remove(app.clientId);
    expect(await servicesOf(env).appRules.find(instance.id, app.clientId)).toBeNull();
  });

  it("are named to administrators when the token test explains a refusal", async () => {
    const { access_token: token } = await app.tokens("ben", { scope: SCOPES.join(" ") });
    await rule({ sales: ["SEARCH"] });
    const { tokenExplainer, policySnapshots } = servicesOf(env);
    const policy = await policySnapshots.current(instance.name, () => undefined);
    if (!policy) throw new Error("there is no policy");
    const explained = await tokenExplainer.explain(
      { issuer: "http://acme.localhost", policy },
      {
        token,
        route: "POST /rest/api/v1/search",
        announcedAsExternal: false,
        authTypeHeader: "",
        address: "192.0.2.1",
        waitUntil: () => undefined,
      },
    );
    expect(explained.status).toBe(403);
    expect(explained.steps.find(({ outcome }) => outcome === "fails")?.text).toContain("Its rules: sales: SEARCH.");
  });
});
