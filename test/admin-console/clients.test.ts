import { PERSONAL_TOKENS } from "#app-access/app-content.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, CHALLENGE, REDIRECT_URI } from "../support/app-client.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { type ConsoleBrowser, errorBeside, fieldOf, openConsole, tickedOf } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectOAuthError, expectPage, expectTokens } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { makeInstance, makeStaticClient, requireClient, send, travel } from "../support/world.ts";

const ORDER = { name: "Ledger", redirectUris: REDIRECT_URI, scopes: ["SEARCH", "offline_access"], kind: "public" };

/** The most seconds until a change takes effect in an isolate that did not make it. */
const REACH_SECONDS = 10;

let instance: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  instance = await makeInstance();
  ada = await openConsole(instance);
});

afterEach(() => void vi.useRealTimers());

/** Creates a public app on the page and returns it. */
async function makeApp(changes: Partial<typeof ORDER> = {}): Promise<AppClient> {
  const made = await ada.post("/admin/clients/new", { ...ORDER, ...changes });
  const [, id = ""] =
    /^\/admin\/clients\/app\?id=([\w-]+)&done=created$/.exec(made.headers.get("Location") ?? "") ?? [];
  expect(id).not.toBe("");
  return AppClient.of(id, REDIRECT_URI);
}

function idOf(html: string): string {
  return /<code class="id">([^<]+)</.exec(html)?.[1] ?? "";
}

async function lastAudit() {
  const row = await env.DB.prepare("SELECT actor, event, detail FROM audit ORDER BY sequence DESC LIMIT 1").first<{
    actor: string;
    event: string;
    detail: string;
  }>();
  if (!row) throw new Error("the audit is empty");
  const actor = await env.DB.prepare("SELECT email FROM people WHERE id = ?1").bind(row.actor).first("email");
  return { actor, event: row.event, detail: JSON.parse(row.detail) as Record<string, unknown> };
}

describe("creating an app in the console", () => {
  it("creates one that people can use immediately", async () => {
    const app = await makeApp();
    const { actor, event, detail } = await lastAudit();
    expect((await app.tokens()).scope).toBe("SEARCH offline_access");
    expect({ actor, event }).toEqual({ actor: "ada@acme.example", event: "client_created" });
    expect(detail).toMatchObject({ clientId: app.clientId, name: "Ledger", scopes: ["SEARCH", "offline_access"] });
  });

  it("shows a confidential app's secret in that one response, and nowhere else (ASVS 5.0 §11.4)", async () => {
    const made = await ada.post("/admin/clients/new", { ...ORDER, kind: "confidential" });
    const html = await expectPage(made, 200);
    expect(made.headers.get("Cache-Control")).toBe("no-store");
    const secret = /<input id="secret"[^>]*value="([^"]+)"/.exec(html)?.[1] ?? "";
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const app = AppClient.of(idOf(html), REDIRECT_URI, secret);
    await expectTokens(await app.redeem(await app.authorize()));
    expect(await ada.read(`/admin/clients/app?id=${app.clientId}`)).not.toContain(secret);
    for (const table of ["clients", "audit"]) {
      expect(JSON.stringify((await env.DB.prepare(`SELECT * FROM ${table}`).all()).results)).not.toContain(secret);
    }
  });

  it.each([
    ["name", { name: " " }],
    ["name", { name: "x".repeat(101) }],
    ["name", { name: "\u202e\u200b" }],
    ["redirectUris", { redirectUris: "" }],
    ["redirectUris", { redirectUris: `${REDIRECT_URI}\r\nhttp://app.example/cb` }],
    ["redirectUris", { redirectUris: "javascript:alert(1)" }],
    ["redirectUris", { redirectUris: "https://app.example/*" }],
    ["redirectUris", { redirectUris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`).join("\n") }],
    ["scopes", { scopes: [] }],
    ["scopes", { scopes: ["offline_access"] }],
    ["scopes", { scopes: ["everything"] }],
  ])(
    "refuses a wrong %s with an error at the field, and keeps everything that was typed: %j",
    async (field, changes) => {
      const before = await env.DB.prepare("SELECT count(*) AS n FROM clients").first("n");
      const order = { ...ORDER, kind: "confidential", ...changes };
      const html = await expectPage(await ada.post("/admin/clients/new", order), 422);
      expect(errorBeside(html, field)).toBeDefined();
      for (const other of ["name", "redirectUris", "scopes"].filter((name) => name !== field)) {
        expect(errorBeside(html, other)).toBeUndefined();
      }
      expect(fieldOf(html, "name")).toBe(order.name);
      expect(fieldOf(html, "redirectUris")?.split(/\r?\n/)).toEqual(order.redirectUris.split(/\r?\n/));
      expect(tickedOf(html, "scopes")).toEqual(order.scopes.filter((scope) => scope !== "everything"));
      expect(tickedOf(html, "kind")).toEqual(["confidential"]);
      expect(await env.DB.prepare("SELECT count(*) AS n FROM clients").first("n")).toBe(before);
    },
  );

  it("escapes what was typed", async () => {
    const name = '"><script>alert(1)</script>';
    const html = await expectPage(await ada.post("/admin/clients/new", { ...ORDER, name, redirectUris: "x" }), 422);
    expect(html).not.toContain("<script>alert");
    expect(fieldOf(html, "name")).toBe(name);
  });
});

describe("changing an app in the console", () => {
  it("applies to new requests immediately, and takes scopes from existing tokens within ten seconds", async () => {
    const app = await makeApp();
    const tokens = await app.tokens();
    const isolate = new ObservedIsolate();
    expect((await isolate.search(tokens.access_token)).status).toBe(200);
    const changes = { name: "Ledger 2", redirectUris: "https://app.example/new", scopes: ["CHAT", "offline_access"] };
    const path = `/admin/clients/app?id=${app.clientId}`;
    const version = /name="version" value="(\d+)"/.exec(await ada.read(path))?.[1] ?? "";
    const sent = { id: app.clientId, ...changes, version };
    const saved = await ada.post("/admin/clients/app", sent);
    expect((await ada.post("/admin/clients/app", { ...sent, name: "Of an older page" })).status).toBe(422);
    expect(saved.headers.get("Location")).toBe(`${path}&done=saved`);
    travel(REACH_SECONDS);
    expect((await isolate.search(tokens.access_token)).status).toBe(403);
    await expectPage(await send(app.authorizeUrl(CHALLENGE)), 400);
    const { event, detail } = await lastAudit();
    expect(event).toBe("client_changed");
    expect(detail).toMatchObject({
      before: { name: "Ledger", redirectUris: [REDIRECT_URI], scopes: ["SEARCH", "offline_access"] },
      after: { name: "Ledger 2", redirectUris: ["https://app.example/new"], scopes: ["CHAT", "offline_access"] },
    });
  });

  it("lets only a confidential app act with other apps' access, until it is unticked", async () => {
    const open = await makeApp();
    const confidential = await AppClient.madeByAdministrator(instance, {
      tokenEndpointAuthMethod: "client_secret_post",
    });
    const change = (app: AppClient, changes: Record<string, string>) =>
      ada.post("/admin/clients/app", {
        id: app.clientId,
        name: "Agent",
        redirectUris: REDIRECT_URI,
        scopes: ["SEARCH"],
        ...changes,
      });
    const versionOf = async ({ clientId }: AppClient) => String((await requireClient(instance, clientId)).changedAt);
    const ticked = { mayExchangeTokens: "on" };
    const html = await expectPage(await change(open, { ...ticked, version: await versionOf(open) }), 422);
    expect(errorBeside(html, "mayExchangeTokens")).toContain("Only a confidential app");
    for (const [changes, may] of [
      [ticked, true],
      [{}, false],
    ] as const) {
      expect((await change(confidential, { ...changes, version: await versionOf(confidential) })).status).toBe(303);
      expect((await requireClient(instance, confidential.clientId)).mayExchangeTokens).toBe(may);
    }
    expect((await lastAudit()).detail).toMatchObject({
      before: { mayExchangeTokens: true },
      after: { mayExchangeTokens: false },
    });
  });

  it("is refused with an error at the field, and changes nothing", async () => {
    const app = await makeApp();
    const changes = { id: app.clientId, name: "Other", redirectUris: "http://app.example/cb", scopes: ["CHAT"] };
    const html = await expectPage(await ada.post("/admin/clients/app", changes), 422);
    expect(errorBeside(html, "redirectUris")).toContain("use https");
    expect(fieldOf(html, "name")).toBe("Other");
    const stored = await ada.read(`/admin/clients/app?id=${app.clientId}`);
    expect(fieldOf(stored, "name")).toBe("Ledger");
    expect(fieldOf(stored, "redirectUris")).toBe(REDIRECT_URI);
  });

  it("replaces a secret immediately, and shows the new one only in that response", async () => {
    const { client, secret = "" } = await makeStaticClient(instance, {
      redirectUris: [REDIRECT_URI],
      tokenEndpointAuthMethod: "client_secret_basic",
    });
    const app = AppClient.of(client.id, REDIRECT_URI, secret);
    const tokens = await app.tokens();
    const path = "/admin/clients/rotate-secret";
    expect(await ada.read(`${path}?id=${client.id}`)).toContain("1 grant of 1 person");
    const html = await expectPage(await ada.post(path, { id: client.id }), 200);
    const fresh = /<input id="secret"[^>]*value="([^"]+)"/.exec(html)?.[1] ?? "";
    await expectOAuthError(await app.refresh(tokens.refresh_token), 401, "invalid_client");
    await expectTokens(await app.refresh(tokens.refresh_token, { client_secret: fresh }));
    expect(JSON.stringify(await lastAudit())).not.toContain(fresh);
  });

  it("gives a public app no secret", async () => {
    const app = await makeApp();
    await expectPage(await ada.post("/admin/clients/rotate-secret", { id: app.clientId }), 400);
  });
});

describe("disabling or deleting an app in the console", () => {
  /** Makes an app that Ben uses twice and Carla once. */
  async function usedApp(): Promise<{ app: AppClient; token: string }> {
    const app = await makeApp();
    await app.tokens("carla");
    await app.tokens("ben");
    return { app, token: (await app.tokens("ben")).access_token };
  }

  it.each(["disable", "delete"])(
    "says before %s how many people lose access, and takes effect within ten seconds",
    async (act) => {
      const { app, token } = await usedApp();
      const isolate = new ObservedIsolate();
      expect((await isolate.search(token)).status).toBe(200);
      const path = `/admin/clients/${act}`;
      const asking = (await ada.read(`${path}?id=${app.clientId}`)).replace(/<[^>]+>|\s+/g, " ").replace(/\s+/g, " ");
      expect(asking).toContain("loses access for 2 people (3 grants)");
      expect((await isolate.search(token)).status).toBe(200);
      expect((await ada.post(path, { id: app.clientId })).status).toBe(303);
      travel(REACH_SECONDS);
      expect((await isolate.search(token)).status).toBe(403);
      await expectPage(await send(app.authorizeUrl(CHALLENGE)), 400);
      expect((await lastAudit()).event).toBe(act === "disable" ? "client_disabled" : "client_removed");
    },
  );

  it("lets a disabled app only be enabled again or deleted", async () => {
    const app = await makeApp();
    const id = app.clientId;
    const path = `/admin/clients/app?id=${id}`;
    const decide = async (act: string) => (await ada.post(`/admin/clients/${act}`, { id })).headers.get("Location");
    expect(await decide("disable")).toBe(`${path}&done=disabled`);
    const html = await ada.read(path);
    expect(html).not.toContain('name="redirectUris"');
    const late = await expectPage(await ada.post("/admin/clients/app", { id, ...ORDER }), 400);
    expect(late).toContain("This client is disabled: enable it first");
    expect(await decide("enable")).toBe(`${path}&done=enabled`);
    expect((await send(app.authorizeUrl(CHALLENGE))).status).toBe(302);
    await decide("disable");
    expect(await decide("delete")).toBe("/admin/clients?done=deleted");
    await expectPage(await ada.get(path), 404);
  });
});

describe("a change of what an app may search", () => {
  it.each(["clients", "service-accounts"])("of %s is asked about, saved and shown as it was written", async (of) => {
    const { client } = await makeStaticClient(instance, { name: "Limited" });
    const app = of === "clients" ? client.id : PERSONAL_TOKENS;
    const path = `/admin/${of}/content`;
    const fields = { app, content: "datasource: wiki\r\nnot type: Salary" };
    const stored = async () => (await servicesOf(env).appRules.find(instance.id, app))?.content ?? [];
    expect(await (await ada.post(path, fields)).text()).toContain("Change what it may search?");
    expect(await stored()).toEqual([]);
    const saved = await ada.post(path, { ...fields, asked: "Change what it may search?" });
    expect(saved.headers.get("Location")).toBe(`${path}?app=${app}&done=saved`);
    expect(await stored()).toHaveLength(2);
    expect(await ada.read(`${path}?app=${app}`)).toContain("datasource: wiki\nnot type: salary");
    const typo = { app, content: "statuss: open", asked: "Change what it may search?" };
    expect((await ada.post(path, typo)).status).toBe(303);
    expect(await ada.read(`${path}?app=${app}`)).toContain("There is no field statuss, so nothing is found");
    const refused = await ada.post(path, { app, content: "wiki", asked: "Change what it may search?" });
    expect(await refused.text()).toContain("Write a field, a colon and values");
    await ada.post(path, { app, content: "", asked: "Let it search everything?" });
    expect(await stored()).toEqual([]);
  });
});

describe("a change of who may use an app", () => {
  it("needs a confirmation if people lose the app or it opens to everybody", async () => {
    const { client } = await makeStaticClient(instance, { name: "Ruled" });
    const path = "/admin/clients/rules";
    const rules = async () => (await servicesOf(env).appRules.find(instance.id, client.id))?.rules ?? [];
    for (const [fields, question, left] of [
      [{ group: "Sales", scopes: ["SEARCH", "CHAT"] }, "Close this app to everybody else?", 1],
      [{ group: "legal", scopes: ["SEARCH"] }, undefined, 2],
      [{ group: "sales", scopes: ["SEARCH"] }, "Remove scopes?", 2],
      [{ remove: "legal" }, "Remove this rule?", 1],
      [{ remove: "sales" }, "Open this app to everybody?", 0],
    ] as const) {
      const before = await rules();
      const asked = await ada.post(path, { app: client.id, ...fields });
      if (question !== undefined) {
        expect(await asked.text()).toContain(question);
        expect(await rules()).toEqual(before);
        expect((await ada.post(path, { app: client.id, ...fields, asked: question })).status).toBe(303);
      }
      expect((await rules()).length).toBe(left);
    }
  });

  it("needs a confirmation for all apps that no administrator created, to which a registered app's page links", async () => {
    const { clientId } = await AppClient.registered({ client_name: "Returning" });
    const path = "/admin/clients/rules";
    const all = `${path}?app=self-registered`;
    for (const page of [`${path}?app=${clientId}`, "/admin/registration"]) expect(await ada.read(page)).toContain(all);
    for (const [fields, question] of [
      [{ group: "sales", scopes: ["SEARCH"] }, "Close these apps to everybody else?"],
      [{ remove: "sales" }, "Open these apps to everybody?"],
    ] as const) {
      expect(await (await ada.post(path, { app: "self-registered", ...fields })).text()).toContain(question);
      const yes = await ada.post(path, { app: "self-registered", ...fields, asked: question });
      expect(yes.headers.get("Location")).toBe(`${all}&done=saved`);
      expect(await ada.read(all)).toContain("Who may use apps that no administrator created");
    }
  });

  it("needs another confirmation if the first one would now do something else", async () => {
    const { client } = await makeStaticClient(instance, { name: "Asked" });
    const path = "/admin/clients/rules";
    const { administrationOf } = servicesOf(env);
    const scopes: ("SEARCH" | "CHAT")[] = ["SEARCH", "CHAT"];
    await administrationOf(instance, "ada").appRules.replace(client.id, [
      { group: "sales", scopes },
      { group: "legal", scopes },
    ]);
    const asked = await (await ada.post(path, { app: client.id, remove: "legal" })).text();
    await administrationOf(instance, "somebody else").appRules.replace(client.id, [{ group: "legal", scopes }]);
    const yes = { app: client.id, remove: "legal", asked: fieldOf(asked, "asked") ?? "", confirmed: "yes" };
    const again = await (await ada.post(path, yes)).text();
    expect(again).toContain("Open this app to everybody?");
    expect((await servicesOf(env).appRules.find(instance.id, client.id))?.rules).toHaveLength(1);
    const sure = { ...yes, asked: fieldOf(again, "asked") ?? "" };
    expect((await ada.post(path, sure)).status).toBe(303);
  });

  it("can add requirements to a registered app that has keys", async () => {
    const { publicJwk } = await ClientKey.make();
    const proof = { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [publicJwk] } };
    const app = await AppClient.registered({ client_name: "Keyed", ...proof });
    const page = `/admin/clients/app?id=${app.clientId}`;
    const version = fieldOf(await ada.read(page), "version") ?? "";
    const fields = { id: app.clientId, version, requirements: ["dpop"] };
    expect((await ada.post("/admin/clients/app", fields)).headers.get("Location")).toBe(`${page}&done=saved`);
    const { requirements, keys } = await requireClient(instance, app.clientId);
    expect([requirements, keys === null]).toEqual([["dpop"], false]);
  });

  it("can add requirements to a registered app, but not from an outdated page", async () => {
    const app = await AppClient.registered({ client_name: "Required" });
    const page = `/admin/clients/app?id=${app.clientId}`;
    const version = fieldOf(await ada.read(page), "version") ?? "";
    const fields = { id: app.clientId, version, requirements: ["dpop"] };
    expect((await ada.post("/admin/clients/app", fields)).headers.get("Location")).toBe(`${page}&done=saved`);
    expect((await requireClient(instance, app.clientId)).requirements).toEqual(["dpop"]);
    const late = await ada.post("/admin/clients/app", { ...fields, requirements: [] });
    expect([late.status, await late.text()]).toEqual([422, expect.stringContaining("Somebody else changed")]);
  });
});

describe("the list of apps", () => {
  it("shows 50 apps a page, each app once, including registered apps but none of another instance", async () => {
    const other = await makeInstance("other");
    const foreign = await makeStaticClient(other, { name: "Foreign app" });
    const registered = await AppClient.registered({ client_name: "Registered app" });
    await env.DB.batch(
      Array.from({ length: 120 }, (_, n) =>
        env.DB.prepare(
          `INSERT INTO clients (id, instance_id, kind, app, name, redirect_uris, scopes, token_endpoint_auth_method, created_at, changed_at)
           VALUES (?1, ?2, 'static', ?1, ?1, '[]', '["SEARCH"]', 'none', ?3, ?3)`,
        ).bind(`many-${n}`, instance.id, 1000 + Math.floor(n / 7)),
      ),
    );
    const seen: string[] = [];
    for (let path: string | undefined = "/admin/clients"; path !== undefined; ) {
      const html: string = await ada.read(path);
      const ids = [...html.matchAll(/href="\/admin\/clients\/app\?id=([\w-]+)"><bdi>/g)].map(([, id = ""]) => id);
      expect(ids.length).toBeLessThanOrEqual(50);
      seen.push(...ids);
      path = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
      expect(html).not.toContain("Foreign app");
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => id.startsWith("many-"))).toHaveLength(120);
    expect(seen).toContain(registered.clientId);
    for (const id of [foreign.client.id, "nobody"]) {
      for (const act of ["app", "disable", "delete", "rotate-secret"]) {
        await expectPage(await ada.get(`/admin/clients/${act}?id=${id}`), 404);
        await expectPage(await ada.post(`/admin/clients/${act}`, { id, ...ORDER }), 404);
      }
    }
    expect(await registered.tokens()).toHaveProperty("access_token");
  });

  it("escapes an app's name", async () => {
    await makeApp({ name: "<img src=x onerror=alert(1)>" });
    expect(await ada.read("/admin/clients")).toContain("&lt;img src=x onerror=alert(1)&gt;");
  });
});
