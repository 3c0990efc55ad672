import { D1ConnectionSteps } from "#connection-attempts/connection-steps.d1.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { AppClient, CHALLENGE, postForm, REDIRECT_URI, register, VERIFIER } from "../support/app-client.ts";
import { ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { MeasuredIsolate } from "../support/measured-isolate.ts";
import { postMcp } from "../support/mcp.ts";
import { changeSettings, disableClient, makeInstance, ORIGIN, send, travel } from "../support/world.ts";

let instance: InstanceRecord;
let other: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  [instance, other] = [await makeInstance(), await makeInstance("other")];
  ada = await openConsole(instance);
});
beforeEach(() => env.DB.prepare("DELETE FROM connection_steps").run());
afterEach(() => vi.useRealTimers());

function read(find = ""): Promise<string> {
  return ada.read(`/admin/connections?${new URLSearchParams({ find }).toString()}`);
}

/** Returns the steps on the page, in order: their labels and outcomes. */
function stepsOn(html: string): string[] {
  const items = html.matchAll(/<span class="badge \w+">(\w+)<\/span><div><strong>([^<]+)<\/strong>/g);
  return [...items].map(([, outcome, label]) => `${label}: ${outcome}`);
}

/** Returns what came of the first attempt on the page. */
function statusOn(html: string): string {
  return /<summary><span class="badge \w+">([^<]+)</.exec(html)?.[1] ?? "";
}

/** Returns the page's advice. */
function adviceOn(html: string): string {
  return /<\/details><p><strong>[^<]+<\/strong>([^<]+)/.exec(html)?.[1] ?? "";
}

async function kept(): Promise<number> {
  return (await env.DB.prepare("SELECT count(*) AS kept FROM connection_steps").first<number>("kept")) ?? 0;
}

describe("the log of a host's connection", () => {
  it("shows every step from the call without a token to the token, and writes nothing for later calls", async () => {
    await postMcp(undefined, "{}");
    await send("/.well-known/oauth-protected-resource/mcp");
    await send("/.well-known/oauth-authorization-server");
    const app = await AppClient.registered({ client_name: "Notebook" });
    const { access_token: token } = await app.tokens();
    const before = await kept();
    expect((await postMcp(token, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }))).status).toBe(200);
    expect(await kept()).toBe(before);
    const html = await read();
    expect(statusOn(html)).toBe("Connected");
    expect(html).toContain("<h2>Notebook</h2>");
    expect(html).toContain("ben@acme.example");
    expect(stepsOn(html)).toEqual([
      "Registration: Done",
      "Authorization: Done",
      "Sign-in: Done",
      "Consent: Done",
      "Token: Done",
      "Call without a token: Done",
      "Metadata read: Done",
      "Metadata read: Done",
    ]);
  });

  it("has no failure, and counts no refused request, for what every host begins with: a call without a token, and a GET", async () => {
    const note = vi.spyOn(servicesOf(env).usage, "note");
    const counted = () => note.mock.calls.filter(([, kind]) => kind === "refusal").map(([, , reason]) => reason);
    expect((await postMcp(undefined, "{}")).status).toBe(401);
    for (const method of ["GET", "DELETE"]) {
      expect((await send("/mcp", { method, headers: { Accept: "text/event-stream" } })).status).toBe(405);
    }
    expect(stepsOn(await read())).toEqual(["Call without a token: Done"]);
    expect(counted()).toEqual([]);
    expect((await postMcp("damaged", "{}")).status).toBe(401);
    expect(stepsOn(await read())).toEqual(["Call without a token: Done", "Call: Failed"]);
    expect(counted()).toEqual(["service_token_malformed"]);
    note.mockRestore();
  });

  it("can be searched by request id, by client id, by name and by person, and by nothing else", async () => {
    const app = await AppClient.registered({ client_name: "Findable notebook" });
    const page = await send(app.authorizeUrl(CHALLENGE, { redirect_uri: "https://elsewhere.example/callback" }));
    const requestId = page.headers.get("X-Request-Id") ?? "";
    expect(await page.text()).toContain(`/admin/connections?find=${requestId}`);
    for (const words of [requestId, app.clientId, "findable", ` ${requestId} `]) {
      expect(stepsOn(await read(words))).toEqual(["Registration: Done", "Authorization: Failed"]);
    }
    expect(statusOn(await read(requestId))).toBe("Refused: Redirect URI not registered");
    expect(stepsOn(await read("another"))).toEqual([]);
    await app.tokens("elin");
    expect(stepsOn(await read("elin@acme.example")).at(-1)).toBe("Token: Done");
    expect(stepsOn(await read("deniz@acme.example"))).toEqual([]);
  });

  it("is found with all installs of its app, and with what the audit says about a person, an app or a refused call of an API", async () => {
    const name = { client_name: "Twice" };
    const [first, second] = [await AppClient.registered(name), await AppClient.registered(name)];
    expect((await read("Twice")).match(/<h2>Twice<\/h2>/g)).toHaveLength(2);
    await first.tokens("elin");
    await disableClient(instance, second.clientId);
    const entriesOn = (html: string) => html.slice(html.indexOf("In the audit log"));
    expect(entriesOn(await read(second.clientId))).toContain("disabled the app");
    expect(entriesOn(await read("elin@acme.example"))).toContain("Twice");
    const refused = await send("/rest/api/admin/v1/apps", { headers: { Authorization: `Bearer ${"x".repeat(40)}` } });
    travel(120);
    await send("/rest/api/v1/search", { method: "POST", headers: { Authorization: "Bearer y" } });
    await expect
      .poll(async () => entriesOn(await read(refused.headers.get("X-Request-Id") ?? "")))
      .toMatch(/was refused GET \/rest\/api\/admin .*Copy it again/);
  });
});

describe("a known app", () => {
  it("is shown with the host's own name and with its peculiarities", async () => {
    await register({ client_name: "Somebody", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] });
    const html = await read();
    expect(html).toContain("<h2>Claude</h2>");
    expect(html).toContain("About this app: Registers again for each connection");
  });
});

describe("the step that failed in a connection", () => {
  it("is the registration if the policy refuses it", async () => {
    await changeSettings(instance.name, { registration: "off" });
    expect((await register({ redirect_uris: [REDIRECT_URI] })).status).toBe(403);
    await changeSettings(instance.name, { registration: "open" });
    const html = await read();
    expect(stepsOn(html)).toEqual(["Registration: Failed"]);
    expect(adviceOn(html)).toContain("Create a client for this app");
  });

  it("is the authorization if its error was sent to the app", async () => {
    const app = await AppClient.registered();
    expect((await send(app.authorizeUrl(CHALLENGE, { code_challenge: undefined }))).status).toBe(302);
    const html = await read(app.clientId);
    expect(stepsOn(html)).toEqual(["Registration: Done", "Authorization: Failed"]);
    expect(html).toContain("PKCE is required");
  });

  it("is the consent if a person denies it", async () => {
    const app = await AppClient.registered();
    const browser = app.browser();
    const consent = await app.toConsent(browser, "ben", app.authorizeUrl(CHALLENGE));
    await browser.press(consent, { name: "decision", value: "deny" });
    expect(stepsOn(await read(app.clientId)).slice(-2)).toEqual(["Sign-in: Done", "Consent: Failed"]);
  });

  it("is the token request if its verifier is wrong, shown with its grant", async () => {
    const app = await AppClient.registered();
    const { code } = await app.authorize();
    const fields = { grant_type: "authorization_code", client_id: app.clientId, redirect_uri: app.redirectUri };
    const refused = await postForm("/oauth/token", { ...fields, code, code_verifier: `${VERIFIER}x` });
    const html = await read(refused.headers.get("X-Request-Id") ?? "");
    expect(stepsOn(html).slice(-2)).toEqual(["Consent: Done", "Token: Failed"]);
    expect(html).toContain("code_verifier_wrong");
    expect(html).not.toContain(code);
  });

  it("is the refresh if the token was used before, and then the call", async () => {
    const app = await AppClient.registered();
    const tokens = await app.tokens();
    const fields = { grant_type: "refresh_token", client_id: app.clientId, refresh_token: tokens.refresh_token };
    expect((await postForm("/oauth/token", fields)).status).toBe(200);
    travel(700);
    expect((await postForm("/oauth/token", fields)).status).toBe(400);
    expect((await postMcp(tokens.access_token, "{}")).status).toBe(401);
    const html = await read(app.clientId);
    expect(stepsOn(html).slice(-4)).toEqual(["Token: Done", "Refresh: Done", "Refresh: Failed", "Call: Failed"]);
    expect(html).not.toContain(tokens.refresh_token);
  });
});

describe("the page of connections", () => {
  it("is for administrators only, and shows nothing of another instance", async () => {
    await AppClient.registered({ client_name: "Elsewhere" }, `http://${other.name}.localhost`);
    expect(await read()).not.toContain("Elsewhere");
    const ben = await ConsoleBrowser.signIn("ben", ORIGIN);
    expect((await ben.get("/admin/connections")).status).toBe(403);
  });
});

describe("the steps that are stored", () => {
  const step = (about: object) => ({
    at: Math.floor(Date.now() / 1000),
    requestId: crypto.randomUUID(),
    step: "metadata" as const,
    reason: null,
    message: null,
    clientId: null,
    grantId: null,
    network: null,
    ...about,
  });

  /** Adds steps that begin an authorization, all at once, from one network or from different ones. */
  const flood = (many: number, network: string) =>
    env.DB.prepare(
      `WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < ?3)
       INSERT INTO connection_steps (instance_id, at, request_id, step, grant_id, network, is_of_person)
       SELECT ?1, ?2, 'flood', 'authorization', 'grant-' || value, ${network}, 0 FROM numbers`,
    )
      .bind(instance.id, Math.floor(Date.now() / 1000), many)
      .run();

  it("have a limit for each network, and a flood by strangers removes no step of a person", async () => {
    const store = new D1ConnectionSteps(env.DB);
    await store.add(
      instance.id,
      step({ step: "sign-in", grantId: "of-ada", clientId: "app", network: "192.0.2.1" }),
      true,
    );
    const begun = { step: "authorization", grantId: "of-nobody" };
    await flood(110, "'192.0.2.1'");
    await store.add(instance.id, step({ ...begun, network: "192.0.2.1" }), false);
    expect(await kept()).toBe(101);
    await flood(600, "'198.51.100.' || value");
    await store.add(instance.id, step({ ...begun, network: "203.0.113.1" }), false);
    expect(await kept()).toBe(501);
    expect((await store.read(instance.id))[0]).toMatchObject({ grantId: "of-ada" });
    expect(await store.read(other.id)).toEqual([]);
  });

  it("are swept without reading all of them", async () => {
    await flood(1000, "NULL");
    const isolate = new MeasuredIsolate();
    const sweep = () => new D1ConnectionSteps(isolate.bindings.DB).sweep(1, 100);
    expect((await isolate.costOf(sweep)).rowsRead).toBeLessThan(10);
  });

  it("are deleted after seven days", async () => {
    await send("/.well-known/oauth-authorization-server");
    travel(7 * 86_400 - 60);
    await servicesOf(env).eachHour();
    expect(await kept()).toBe(1);
    travel(120);
    await servicesOf(env).eachHour();
    expect(await kept()).toBe(0);
  });

  /** A rate limit that strangers' steps have used up. */
  const full = { limit: async ({ key }: { key: string }) => ({ success: !key.startsWith("connection-step:") }) };
  const bindings = { ...env, RATE_LIMIT_60: full, RATE_LIMIT_300: full };

  it("don't include steps beyond the rate limit, but the requests succeed", async () => {
    expect((await send("/.well-known/oauth-authorization-server", {}, bindings)).status).toBe(200);
    const wrongClient = { headers: { "CF-Connecting-IP": "192.0.2.1" } };
    expect((await send("/oauth/authorize?client_id=nobody", wrongClient, bindings)).status).toBe(400);
    expect(await kept()).toBe(0);
  });

  it("beyond the rate limit are only those of signed-in people, however far strangers get in an authorization", async () => {
    const app = await AppClient.registered();
    await env.DB.prepare("DELETE FROM connection_steps").run();
    const overTheRate = (url: string, init: RequestInit) => {
      const headers = new Headers(init.headers);
      headers.set("CF-Connecting-IP", "192.0.2.1");
      return url.startsWith(ORIGIN) ? send(url, { ...init, headers }, bindings) : fetch(url, init);
    };
    const steps = async () => {
      const { results } = await env.DB.prepare("SELECT step FROM connection_steps ORDER BY id").all();
      return results.map((row) => row["step"]);
    };
    let state = "";
    const stranger = app.browser((url, init) => {
      state = new URL(url).searchParams.get("state") ?? state;
      return overTheRate(url, init);
    });
    await stranger.visit(app.authorizeUrl(CHALLENGE, { state: undefined }));
    const turnedBack = new URLSearchParams({ state, iss: inject("sso").issuer, error: "access_denied" });
    await stranger.visit(`${ORIGIN}/oauth/callback?${turnedBack.toString()}`);
    expect(await steps()).toEqual([]);
    const browser = app.browser(overTheRate);
    const consent = await app.toConsent(browser, "ben", app.authorizeUrl(CHALLENGE));
    await browser.press(consent, { name: "decision", value: "deny" });
    expect(await steps()).toEqual(["sign-in", "consent"]);
  });
});
