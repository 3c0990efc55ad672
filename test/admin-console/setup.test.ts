import { SETUP_LIFETIME_SECONDS, SETUP_PATH } from "#admin-api/command-token.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { auditEntries } from "../support/audit-entries.ts";
import { ConsoleBrowser, fieldOf, originOf } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { connectSso, travel } from "../support/world.ts";

let count = 0;
let instance: InstanceRecord;
let browser: ConsoleBrowser;

beforeEach(async () => {
  instance = await createInstance(servicesOf(env), `new${++count}`, "test");
  browser = new ConsoleBrowser(originOf(instance));
});

afterEach(() => {
  vi.useRealTimers();
});

/** Returns the path of the link that `instance create` prints. */
async function link(of = instance, path = SETUP_PATH): Promise<string> {
  return `${SETUP_PATH}?token=${await servicesOf(env).setupTokens.make(of.name, originOf(instance), path)}`;
}

/** Opens the link, and returns the page with the form for any provider. */
async function opened(): Promise<string> {
  await browser.get(await link());
  return browser.read(`${SETUP_PATH}?preset=other`);
}

async function connected(fields: Readonly<Record<string, string>> = {}): Promise<Response> {
  const csrf = fieldOf(await opened(), "csrf_token") ?? "";
  const { issuer, clientId, clientSecret } = inject("sso");
  return browser.postRaw(SETUP_PATH, { csrf_token: csrf, issuer, clientId, clientSecret, ...fields });
}

const stored = async () => (await servicesOf(env).instances.require(instance.name)).singleSignOns[0];

async function refusal(response: Response): Promise<string> {
  expect(response.status).toBe(403);
  return response.text();
}

describe("the first administrator's page", () => {
  it("is opened by the link, whose token leaves the address at once and is never sent on", async () => {
    const response = await browser.get(await link());
    expect([response.status, response.headers.get("Location")]).toEqual([303, SETUP_PATH]);
    expect(response.headers.get("Set-Cookie")).toMatch(/^gatehouse-setup=.+HttpOnly; SameSite=Lax$/);
    expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await browser.read(SETUP_PATH)).toContain('href="/setup?preset=okta"');
    const page = await browser.read(`${SETUP_PATH}?preset=okta`);
    expect(page).toContain(`${originOf(instance)}/oauth/callback`);
    expect(page).not.toContain('href="/admin');
  });

  it("connects the SSO, records it in the audit, and leads to the sign-in", async () => {
    const response = await connected();
    expect([response.status, response.headers.get("Location")]).toEqual([303, "/sign-in?to=%2Fadmin"]);
    expect((await stored())?.issuer).toBe(inject("sso").issuer);
    expect((await auditEntries(instance, "single_sign_on_changed")).map(({ actor }) => actor)).toEqual(["setup-link"]);
    expect(browser.cookies.get("gatehouse-setup") ?? "").toBe("");
  });

  it("saves nothing that doesn't work, and keeps the link valid", async () => {
    const response = await connected({ clientSecret: "not the secret" });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("The SSO refuses the client");
    expect(await stored()).toBeUndefined();
    expect((await connected()).status).toBe(303);
  });

  it("says beside the field what is wrong", async () => {
    const response = await connected({ issuer: "http://sso.example" });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('id="issuer-error"');
  });

  it("keeps to the form of the chosen provider if it is refused", async () => {
    const response = await connected({ preset: "okta", domain: "https://acme.okta.com" });
    expect(response.status).toBe(422);
    const page = await response.text();
    expect(page).toContain('id="domain-error"');
    expect(fieldOf(page, "preset")).toBe("okta");
  });

  it("works once: no link changes an SSO that is connected", async () => {
    const csrf = fieldOf(await opened(), "csrf_token") ?? "";
    await connectSso(instance, "https://other.example");
    const used = await refusal(await browser.get(await link()));
    expect(used).toContain("already connected");
    expect(used).toContain('<a class="button primary" href="/sign-in?to=%2Fadmin">');
    const { issuer, clientId, clientSecret } = inject("sso");
    const sent = browser.postRaw(SETUP_PATH, { csrf_token: csrf, issuer, clientId, clientSecret });
    expect(await refusal(await sent)).toContain("already connected");
    expect((await stored())?.issuer).toBe("https://other.example");
  });

  it("works for an hour, and then says how to get another link, which no button can do", async () => {
    const path = await link();
    travel(SETUP_LIFETIME_SECONDS);
    expect((await browser.get(path)).status).toBe(303);
    travel(SETUP_LIFETIME_SECONDS + 1);
    expect(await refusal(await browser.get(path))).toContain(`instance setup-link ${instance.name}`);
    const expired = await refusal(await browser.get(SETUP_PATH));
    expect(expired).toContain(`instance setup-link ${instance.name}`);
    expect(expired).not.toContain("button primary");
  });

  it("refuses links of other instances, other addresses and commands, and guesses", async () => {
    const other = await createInstance(servicesOf(env), `other${count}`, "test");
    const short = `${SETUP_PATH}?token=${Math.floor(Date.now() / 1000) + 60}.${"A".repeat(43)}`;
    for (const path of [await link(other), await link(instance, "/admin"), short, SETUP_PATH]) {
      expect(await refusal(await browser.get(path))).toContain("This link has expired");
    }
  });

  it("gives access to nothing else", async () => {
    await opened();
    for (const path of ["/admin", "/account", "/search"]) {
      const response = await browser.get(path);
      expect([response.status, response.headers.get("Location")]).toEqual([
        303,
        `/sign-in?to=${encodeURIComponent(path)}`,
      ]);
    }
    const Authorization = `Bearer ${(await link()).split("=")[1]}`;
    expect((await browser.get("/rest/api/admin/v1/settings", { Authorization })).status).toBe(401);
  });

  it("refuses a form from another site or another browser", async () => {
    const { issuer, clientId, clientSecret } = inject("sso");
    const fields = { issuer, clientId, clientSecret };
    const csrf = fieldOf(await opened(), "csrf_token") ?? "";
    expect((await browser.postRaw(SETUP_PATH, fields)).status).toBe(400);
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    expect((await browser.postRaw(SETUP_PATH, { ...fields, csrf_token: csrf }, foreign)).status).toBe(400);
    const stranger = new ConsoleBrowser(originOf(instance));
    await refusal(await stranger.postRaw(SETUP_PATH, { ...fields, csrf_token: csrf }));
    expect(await stored()).toBeUndefined();
  });
});
