import { requireAcceptable } from "#administration/settings-rules.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { HOSTS } from "#clients/hosts.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, CHALLENGE, register } from "../support/app-client.ts";
import {
  ConsoleBrowser,
  errorBeside,
  type Fields,
  fieldOf,
  openConsole,
  setRole,
  tickedOf,
} from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { changeSettings, makeInstance, send, travel } from "../support/world.ts";

/** The form's values for a new instance. */
const RULES = {
  registration: "open",
  approvedRedirectUris: "",
  dynamicScopes: ["SEARCH", "CHAT", "offline_access"],
  clientIdMetadataDocuments: "on",
};

const REACH_SECONDS = 10;

let instance: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  instance = await makeInstance();
  ada = await openConsole(instance);
});

beforeEach(() =>
  changeSettings("acme", {
    registration: "open",
    approvedRedirectUris: [],
    dynamicScopes: RULES.dynamicScopes,
    clientIdMetadataDocuments: true,
  }),
);

afterEach(() => void vi.useRealTimers());

function save(changes: Fields = {}): Promise<Response> {
  return ada.post("/admin/registration", { ...RULES, ...changes });
}

async function stored() {
  return requireAcceptable((await servicesOf(env).instances.require("acme")).settings, {});
}

async function registerFor(...redirectUris: string[]): Promise<number> {
  return (await register({ redirect_uris: redirectUris, token_endpoint_auth_method: "none" })).status;
}

function auditEntries() {
  return env.DB.prepare("SELECT count(*) AS n FROM audit").first<number>("n");
}

function textOf(html: string): string {
  return html.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");
}

function pathOf(act: string, id: string): string {
  return `/admin/clients/${act}?${new URLSearchParams({ id }).toString()}`;
}

/** Inserts clients directly, as if this many had registered. */
async function fill(count: number, columns: { kind?: string; isPending?: number; name?: string } = {}) {
  const { kind = "dynamic", isPending = 0, name = "Crowd" } = columns;
  await env.DB.prepare(
    `INSERT INTO clients (id, instance_id, kind, app, name, redirect_uris, scopes, token_endpoint_auth_method, is_pending,
       created_at, changed_at)
     SELECT ?1 || value, ?2, ?3, ?1 || value, ?4 || ' ' || value, '["https://crowd.example/cb"]', '["SEARCH"]', 'none', ?5,
       1000 + value / 7, 1000 FROM json_each(?6)`,
  )
    .bind(`${name}-`, instance.id, kind, name, isPending, JSON.stringify(Array.from({ length: count }, (_, n) => n)))
    .run();
}

describe("the registration rules in the console (RFC 7591 §5)", () => {
  it.each(["open", "approval", "off"])("take effect immediately: %s", async (registration) => {
    const saved = await save({ registration, confirmed: "yes" });
    expect(saved.headers.get("Location")).toBe("/admin/registration?done=saved");
    expect(await registerFor("https://app.example/cb")).toBe(registration === "off" ? 403 : 201);
    expect(tickedOf(await ada.read("/admin/registration"), "registration")).toEqual([registration]);
  });

  it("accept only hosts by name and redirect URIs by pattern, if set to approved", async () => {
    const approvedRedirectUris = "https://app.example/oauth/*\r\n\r\n  https://other.example/cb  ";
    await save({ registration: "approved", presets: ["claude", "cursor"], approvedRedirectUris });
    expect(await registerFor("https://claude.ai/api/mcp/auth_callback")).toBe(201);
    expect(await registerFor("https://app.example/oauth/42")).toBe(201);
    expect(await registerFor("https://other.example/cb")).toBe(201);
    expect(await registerFor("https://chatgpt.com/connector/oauth/x")).toBe(400);
    const html = await ada.read("/admin/registration");
    expect(tickedOf(html, "presets")).toEqual(["claude", "cursor"]);
    expect(fieldOf(html, "approvedRedirectUris")).toBe("https://app.example/oauth/*\nhttps://other.example/cb");
  });

  it("are said to let no app connect, if set to approved without approving anything", async () => {
    await save({ registration: "approved" });
    expect(textOf(await ada.read("/admin/registration"))).toContain("no app can connect");
  });

  it.each([
    "https://*/cb",
    "https://*.example/cb",
    "*",
    "app.example/cb",
    "toString",
    "http://app.example",
    "javascript:*",
  ])("refuse %s with a message at the redirect URIs, as the commands do, and save nothing", async (pattern) => {
    const before = await auditEntries();
    const approvedRedirectUris = `https://good.example/cb\r\n${pattern}`;
    const changes = { registration: "approved", presets: "claude", approvedRedirectUris };
    const html = await expectPage(await save(changes), 422);
    expect(errorBeside(html, "approvedRedirectUris")).toContain(pattern);
    expect(tickedOf(html, "registration")).toEqual(["approved"]);
    expect(tickedOf(html, "presets")).toEqual(["claude"]);
    expect(fieldOf(html, "approvedRedirectUris")).toBe(`https://good.example/cb\r\n${pattern}`);
    expect((await stored()).registration).toBe("open");
    expect(await auditEntries()).toBe(before);
  });

  it.each([
    ["registration", { registration: "sometimes" }],
    ["registration", { registration: [] }],
    ["dynamicScopes", { dynamicScopes: [] }],
    ["dynamicScopes", { dynamicScopes: ["offline_access"] }],
    ["dynamicScopes", { dynamicScopes: ["SEARCH", "CHAT", "DOCUMENTS", "offline_access", "openid", "email"] }],
    ["identityHosts", { identityHosts: "crush" }],
    ["identityHosts", { identityHosts: "somebody-elses-host" }],
    ["approvedRedirectUris", { presets: "somebody-elses-host" }],
  ])("refuse a wrong %s with a message at the field: %j", async (field, changes) => {
    const html = await expectPage(await save({ ...changes, confirmed: "yes" }), 422);
    expect(errorBeside(html, field)).toBeDefined();
    expect(await stored()).toMatchObject({ registration: "open", dynamicScopes: RULES.dynamicScopes });
  });

  it("are in the audit with the values before and after, and not at all if nothing changes", async () => {
    const before = (await auditEntries()) ?? 0;
    await save();
    expect(await auditEntries()).toBe(before);
    await save({ registration: "off", confirmed: "yes" });
    expect(await auditEntries()).toBe(before + 1);
    const row = await env.DB.prepare("SELECT detail FROM audit ORDER BY sequence DESC LIMIT 1").first<string>("detail");
    expect(JSON.parse(row ?? "")).toEqual({ before: { registration: "open" }, after: { registration: "off" } });
  });

  it("offer every host that can be approved by name", async () => {
    const html = await ada.read("/admin/registration");
    for (const name of HOSTS.map(({ id }) => id)) expect(html).toContain(`name="presets" value="${name}"`);
  });
});

describe("registration rules that take something from apps in use", () => {
  it("first say what they take and from how many people, and change nothing until they are confirmed", async () => {
    const app = await AppClient.registered({ client_name: "In use" });
    await app.tokens("ben");
    await app.tokens("carla");
    const scopes = { dynamicScopes: ["SEARCH", "offline_access"] };
    const asking = await expectPage(await save({ ...scopes, registration: "off", code: "typed by nobody" }), 200);
    expect(asking).not.toContain("typed by nobody");
    expect(textOf(asking)).toMatch(/“Chat” is removed from every app .* 2 people use such apps with 2 grants/);
    expect(textOf(asking)).toMatch(/no administrator created or approved can no longer sign people in: 2 people use/);
    expect(await stored()).toMatchObject({ registration: "open", dynamicScopes: RULES.dynamicScopes });
    expect(fieldOf(asking, "registration")).toBe("off");
    expect((await save({ ...scopes, registration: "off", confirmed: "yes" })).status).toBe(303);
    expect(await stored()).toMatchObject({ registration: "off", dynamicScopes: ["SEARCH", "offline_access"] });
  });

  it("need a confirmation for client metadata documents too", async () => {
    const { clientIdMetadataDocuments: _, ...off } = RULES;
    const asking = await expectPage(await ada.post("/admin/registration", off), 200);
    expect(textOf(asking)).toContain("can no longer sign people in");
    expect((await stored()).clientIdMetadataDocuments).toBe(true);
    await ada.post("/admin/registration", { ...off, confirmed: "yes" });
    expect((await stored()).clientIdMetadataDocuments).toBe(false);
  });

  it("need a confirmation for a known app that no longer asks who people are, but not for one that may", async () => {
    expect((await save({ identityHosts: ["chatgpt", "claude"] })).status).toBe(303);
    const asking = await expectPage(await save({ identityHosts: ["claude"] }), 200);
    expect(textOf(asking)).toContain("ChatGPT: no longer learns who people are");
    expect((await stored()).identityHosts).toEqual(["chatgpt", "claude"]);
    expect((await save({ identityHosts: ["claude"], confirmed: "yes" })).status).toBe(303);
    expect((await stored()).identityHosts).toEqual(["claude"]);
    await changeSettings("acme", { identityHosts: undefined });
  });

  it("need no confirmation if they add a scope", async () => {
    expect((await save({ dynamicScopes: [...RULES.dynamicScopes, "DOCUMENTS"] })).status).toBe(303);
    expect((await stored()).dynamicScopes).toContain("DOCUMENTS");
  });
});

describe("apps that wait for approval", () => {
  async function waitingApp(name: string): Promise<AppClient> {
    await changeSettings("acme", { registration: "approval" });
    return AppClient.registered({ client_name: name });
  }

  it("are listed with their redirect URIs, and can be approved", async () => {
    const app = await waitingApp("Patient app");
    const html = await ada.read("/admin/registration");
    expect(html).toContain("Patient app");
    expect(html).toContain("127.0.0.1:33418");
    const version = /name="version" value="(\d+)"/.exec(html)?.[1] ?? "";
    const approved = await ada.post("/admin/clients/approve", { id: app.clientId, version });
    expect(approved.headers.get("Location")).toBe("/admin/registration?done=approved");
    expect(await app.tokens()).toHaveProperty("access_token");
    expect(await ada.read("/admin/registration")).not.toContain("Patient app");
    expect(await ada.read("/admin/clients")).toContain("Patient app");
    const again = await ada.post("/admin/clients/approve", { id: app.clientId });
    expect(again.headers.get("Location")).toBe("/admin/registration?done=not-waiting");
  });

  it("are one row with the number of their installs", async () => {
    for (let install = 0; install < 3; install += 1) await waitingApp("Often installed app");
    const html = await ada.read("/admin/registration");
    expect(html.split("<bdi>Often installed app</bdi>")).toHaveLength(2);
    expect(html).toContain("3 installs");
  });

  it("shows auditors which apps wait, without buttons", async () => {
    await waitingApp("Watched app");
    await setRole(instance, "deniz@acme.example", "auditor");
    const html = await (await ConsoleBrowser.signIn("deniz")).read("/admin/registration");
    expect(html).toContain("Watched app");
    expect(html).not.toContain("Approve Watched app");
    await setRole(instance, "deniz@acme.example", null);
  });

  it("can be denied for good, after which an approval is too late", async () => {
    const app = await waitingApp("Refused app");
    expect(textOf(await ada.read(pathOf("deny", app.clientId)))).toContain("Deny the app");
    const denied = await ada.post("/admin/clients/deny", { id: app.clientId });
    expect(denied.headers.get("Location")).toBe("/admin/registration?done=denied");
    expect(await lastEvent()).toBe("client_denied");
    const repeated = await ada.post("/admin/clients/deny", { id: app.clientId });
    expect(repeated.headers.get("Location")).toBe("/admin/registration?done=not-waiting");
    expect(await ada.read("/admin/registration")).not.toContain("Refused app");
    const late = await ada.post("/admin/clients/approve", { id: app.clientId });
    expect(late.headers.get("Location")).toBe("/admin/registration?done=not-waiting");
    await expectPage(await send(app.authorizeUrl(CHALLENGE)), 400);
  });

  it("can be deleted, and may register again", async () => {
    const app = await waitingApp("Deleted app");
    await ada.post("/admin/clients/delete", { id: app.clientId });
    await expectPage(await ada.get(pathOf("app", app.clientId)), 404);
    expect((await waitingApp("Deleted app")).clientId).not.toBe(app.clientId);
  });
});

describe("registered apps in the console", () => {
  it.each([
    ["disable", "client_disabled"],
    ["delete", "client_removed"],
  ])("show before %s how many people lose access, and then end within ten seconds", async (act, event) => {
    const app = await AppClient.registered({ client_name: `To ${act}` });
    await app.tokens("carla");
    const { access_token: token } = await app.tokens("ben");
    const isolate = new ObservedIsolate();
    expect((await isolate.search(token)).status).toBe(200);
    expect(textOf(await ada.read(pathOf(act, app.clientId)))).toContain("loses access for 2 people (2 grants)");
    expect((await isolate.search(token)).status).toBe(200);
    await ada.post(`/admin/clients/${act}`, { id: app.clientId });
    travel(REACH_SECONDS);
    expect((await isolate.search(token)).status).toBe(403);
    await expectPage(await send(app.authorizeUrl(CHALLENGE)), 400);
    expect(await lastEvent()).toBe(event);
  });

  it("stay in the list when they are disabled, until an administrator enables them", async () => {
    const app = await AppClient.registered({ client_name: "Disabled app" });
    await ada.post("/admin/clients/disable", { id: app.clientId });
    const html = await ada.read(pathOf("app", app.clientId));
    expect(html).not.toContain("/approve");
    expect(textOf(await ada.read("/admin/clients?search=Disabled%20app"))).toContain("Disabled app");
    await expectPage(await send(app.authorizeUrl(CHALLENGE)), 400);
    const enabled = await ada.post("/admin/clients/enable", { id: app.clientId });
    expect(enabled.headers.get("Location")).toBe(`${pathOf("app", app.clientId)}&done=enabled`);
    expect((await send(app.authorizeUrl(CHALLENGE))).status).toBe(302);
  });

  it("are listed 50 a page, each once", async () => {
    await fill(240);
    const seen: string[] = [];
    for (let path: string | undefined = "/admin/clients?search=crowd"; path !== undefined; ) {
      const html: string = await ada.read(path);
      const ids = [...html.matchAll(/app\?id=([^"]+)"/g)].map(([, id = ""]) => id);
      expect(ids.length).toBeLessThanOrEqual(50);
      seen.push(...ids);
      path = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
    }
    expect([seen.length, new Set(seen).size]).toEqual([240, 240]);
  });

  it("that wait for approval are listed page by page too", async () => {
    await fill(60, { isPending: 1, name: "Queue" });
    const html = await ada.read("/admin/registration");
    expect(html.match(/aria-label="Approve /g)).toHaveLength(50);
    const next = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect((await ada.read(next)).match(/aria-label="Approve /g)?.length).toBeGreaterThanOrEqual(10);
  });

  it("are found by name, URL and id, regardless of case, and with every character taken literally", async () => {
    const document = "https://docs.example/app?x=1&y=2";
    await fill(1, { kind: "document", name: document });
    const app = await AppClient.registered({ client_name: "100% Ünique_App" });
    const find = async (q: string) =>
      textOf(await ada.read(`/admin/clients?${new URLSearchParams({ search: q }).toString()}`));
    for (const words of ["100% ü", "nique_a", app.clientId].map((text) => text.replace("ü", "Ü"))) {
      expect(await find(words)).toContain("100% Ünique_App");
    }
    for (const words of ["100_", "100%%", "' OR 1=1 --", '"%"'])
      expect(await find(words)).toContain("Nothing matches.");
    expect(await find("DOCS.EXAMPLE")).toContain("Metadata document");
    expect(textOf(await ada.read(pathOf("app", `${document}-0`)))).toContain(`${document.replace("&", "&amp;")}-0`);
  });

  it("show when they were last used", async () => {
    const app = await AppClient.registered({ client_name: "Fresh app" });
    expect(await ada.read(pathOf("app", app.clientId))).toMatch(/Last used<\/dt><dd><span class="quiet">never/);
    await app.tokens();
    expect(await ada.read(pathOf("app", app.clientId))).toMatch(/Last used<\/dt><dd><time datetime="20/);
  });

  it("have their names escaped", async () => {
    const app = await AppClient.registered({ client_name: "</bdi><script>alert(1)</script>" });
    for (const path of ["/admin/clients", pathOf("app", app.clientId), pathOf("disable", app.clientId)]) {
      expect(await ada.read(path)).not.toContain("<script>alert");
    }
  });

  it("of another instance are not found", async () => {
    const other = await makeInstance("other");
    const foreign = await AppClient.registered({ client_name: "Foreign app" }, "http://other.localhost");
    expect(other.id).not.toBe(instance.id);
    expect(await ada.read("/admin/clients?search=Foreign")).not.toContain("Foreign app");
    for (const id of [foreign.clientId, "", "nobody"]) {
      for (const act of ["app", "deny", "disable", "delete"]) await expectPage(await ada.get(pathOf(act, id)), 404);
      for (const act of ["approve", "deny", "disable", "enable", "delete"]) {
        await expectPage(await ada.post(`/admin/clients/${act}`, { id }), 404);
      }
    }
    expect(await foreign.tokens().catch(() => "ended")).not.toBe("ended");
  });

  it.each([
    ["after=5", 200],
    ["search=%25", 200],
    ["search=a&search=b", 200],
    ["kind=&state=", 200],
    ["cursor=x", 400],
    ["kind=odd", 400],
  ])("are listed for the mangled query %s with status %i", async (query, status) => {
    expect((await ada.get(`/admin/clients?${query}`)).status).toBe(status);
  });
});

function lastEvent() {
  return env.DB.prepare("SELECT event FROM audit ORDER BY sequence DESC LIMIT 1").first<string>("event");
}
