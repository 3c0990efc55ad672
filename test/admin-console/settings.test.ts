import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEntries } from "../support/audit-entries.ts";
import { AppClient, search } from "../support/app-client.ts";
import { ConsoleBrowser, errorBeside, fieldOf, openConsole } from "../support/console-browser.ts";
import { DocumentHost } from "../support/document-host.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { makeInstance, ORIGIN, policyOf, send } from "../support/world.ts";

let instance: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  instance = await makeInstance();
  ada = await openConsole(instance);
});

const SETTINGS = {
  displayName: "Acme Works",
  supportContact: "help@acme.example",
  auditKeptSeconds: "90",
  searchLanguages: "en",
  searchUsesCommonTerms: "on",
};

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
const WEBP = new TextEncoder().encode("RIFF\u0001\u0002\u0003\u0004WEBPVP8 ");

async function settings() {
  const { policySnapshots } = servicesOf(env);
  return (await policySnapshots.reread(instance.name))?.settings;
}

/** Sends the logo's form as a browser does. */
async function upload(bytes: Uint8Array | string, type = "image/png", csrfToken?: string) {
  const form = new FormData();
  form.set("csrf_token", csrfToken ?? (await ada.csrfToken()));
  const content = typeof bytes === "string" ? bytes : new Uint8Array(bytes);
  form.set("logo", new File([content], "logo.png", { type }));
  const encoded = new Response(form);
  return sendBody(encoded.headers.get("Content-Type") ?? "", await encoded.arrayBuffer());
}

function sendBody(type: string, body: BodyInit): Promise<Response> {
  const cookie = [...ada.cookies].map((pair) => pair.join("=")).join("; ");
  const headers = { Cookie: cookie, "Content-Type": type, "Sec-Fetch-Site": "same-origin" };
  return send(`${ORIGIN}/admin/settings/logo`, { method: "POST", headers, body });
}

/** Returns the logo's URL on a page. */
async function logoAt(): Promise<string | undefined> {
  return /src="(\/assets\/logo\?v=[^"]+)"/.exec(await (await send("/")).text())?.[1];
}

async function lastEntry(event: string) {
  const [entry] = await auditEntries(instance, event, 1);
  return entry;
}

describe("the settings page", () => {
  it("saves settings, shows them, and records them in the audit with the values before and after", async () => {
    const saved = await ada.post("/admin/settings", SETTINGS);
    expect([saved.status, saved.headers.get("Location")]).toEqual([303, "/admin/settings?done=saved"]);
    expect(await settings()).toMatchObject({
      displayName: "Acme Works",
      supportContact: "help@acme.example",
      auditKeptSeconds: 90 * 86_400,
    });
    expect((await lastEntry("settings_changed"))?.detail["after"]).toEqual({
      displayName: "Acme Works",
      supportContact: "help@acme.example",
      auditKeptSeconds: 90 * 86_400,
    });
    expect(fieldOf(await ada.read("/admin/settings"), "auditKeptSeconds")).toBe("90");
  });

  it("adds nothing to the audit if nothing changed", async () => {
    const before = await lastEntry("settings_changed");
    await ada.post("/admin/settings", SETTINGS);
    expect((await lastEntry("settings_changed"))?.sequence).toBe(before?.sequence);
  });

  it("restores the defaults of settings that are emptied", async () => {
    await ada.post("/admin/settings", { ...SETTINGS, displayName: "", supportContact: " " });
    expect(await settings()).not.toHaveProperty("displayName", "Acme Works");
    expect((await settings())?.supportContact).toBeUndefined();
    expect((await lastEntry("settings_changed"))?.detail["before"]).toMatchObject({ displayName: "Acme Works" });
    await ada.post("/admin/settings", SETTINGS);
  });

  it("refuses no language or an unknown one, with a message at the field", async () => {
    for (const searchLanguages of ["", "xx"]) {
      const response = await ada.post("/admin/settings", { ...SETTINGS, searchLanguages });
      expect(response.status).toBe(422);
      expect(await response.text()).toMatch(/<fieldset id="searchLanguages" class="choices wrong"/);
    }
  });

  it.each([
    ["displayName", "x".repeat(81)],
    ["supportContact", "somebody"],
    ["supportContact", "http://acme.example/help"],
    ["supportContact", "javascript:alert(1)"],
    ["supportContact", "https://user:password@acme.example"],
    ["supportContact", "help@acme.example?bcc=everybody@acme.example"],
    ["auditKeptSeconds", "29"],
    ["auditKeptSeconds", "3651"],
    ["auditKeptSeconds", "a year"],
    ["auditKeptSeconds", ""],
  ])("refuses a wrong value with a message at the field: %s = %s", async (field, value) => {
    const response = await ada.post("/admin/settings", { ...SETTINGS, [field]: value });
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(errorBeside(html, field)).toBeTruthy();
    expect(fieldOf(html, field)).toBe(value);
    expect(await settings()).toMatchObject({ displayName: "Acme Works" });
  });
});

describe("the receiver of audit entries", () => {
  const path = "/admin/audit/receiver";

  it("can be set, authenticated by a header that no page shows, asked to deliver now, and removed", async () => {
    expect(await ada.read(path)).not.toContain("Deliver now");
    const receiver = "https://collector.example/gatehouse";
    new DocumentHost().goDown(receiver);
    const saved = await ada.post(path, { auditReceiver: receiver });
    expect(saved.headers.get("Location")).toBe(`${path}?done=saved`);
    expect(await ada.read(path)).toMatch(/Waiting<\/span>.*Deliver now/s);
    await ada.post(`${path}/authorization`, { authorizationSecret: "Splunk 0123456789abcdef" });
    const page = await ada.read(path);
    expect([page.includes("A header is stored"), page.includes("0123456789")]).toEqual([true, false]);
    expect(fieldOf(page, "auditReceiver")).toBe(receiver);
    expect((await ada.post(`${path}/deliver`)).headers.get("Location")).toBe(`${path}?done=tried`);
    expect(await ada.read(path)).toMatch(/Failing<\/span>.*Last error/s);
    await ada.post(`${path}/authorization`, { authorizationSecret: "" });
    expect(await ada.read(path)).not.toContain("A header is stored");
    await ada.post(path, { auditReceiver: "" });
    expect((await settings())?.auditReceiver).toBeUndefined();
  });

  it.each([
    ["", "auditReceiver", "http://collector.example"],
    ["/authorization", "authorizationSecret", "short"],
  ])("is refused with a message at the field: %s %s", async (form, field, value) => {
    await ada.post(path, { auditReceiver: "https://kept.example" });
    const answer = await ada.post(path + form, { [field]: value });
    expect([answer.status, errorBeside(await answer.text(), field)]).toEqual([422, expect.stringMatching(/./)]);
    expect((await settings())?.auditReceiver).toBe("https://kept.example");
  });
});

describe("the organisation's name and contact on its pages", () => {
  it("are on the error page, with the request id", async () => {
    const html = await (await send("/oauth/authorize?client_id=nobody")).text();
    expect(html).toContain("Acme Works");
    expect(html).toMatch(/Contact.*mailto:help@acme\.example/s);
    expect(html).toMatch(/request id/);
  });

  it("are on the consent page, which says where access can be revoked", async () => {
    const app = await AppClient.registered();
    const page = await app.toConsent(
      app.browser(),
      "ben",
      app.authorizeUrl("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
    );
    expect(page.html).toContain("Acme Works");
    expect(page.html).toMatch(/revoke access at any time in.*href="\/account"/s);
    expect(page.html).toContain("help@acme.example");
  });

  it("are linked to a page if the contact is a web address", async () => {
    await ada.post("/admin/settings", { ...SETTINGS, supportContact: "https://acme.example/help?a=1&b=2" });
    expect(await (await send("/")).text()).toContain('href="https://acme.example/help?a=1&amp;b=2"');
    await ada.post("/admin/settings", SETTINGS);
  });
});

describe("the logo (ASVS 5.0 §5.2.2, §5.3.1)", () => {
  it.each([
    ["image/png", PNG],
    ["image/jpeg", JPEG],
    ["image/webp", WEBP],
  ])("is recognised as %s by its first bytes, and served only with that type", async (type, bytes) => {
    const done = await upload(bytes, "text/html");
    expect([done.status, done.headers.get("Location")]).toEqual([303, "/admin/settings?done=logo"]);
    const address = await logoAt();
    const served = await send(address ?? "");
    expect(served.status).toBe(200);
    expect(served.headers.get("Content-Type")).toBe(type);
    expect(served.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(served.headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
    expect(served.headers.get("Cache-Control")).toContain("immutable");
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(new Uint8Array(bytes));
  });

  it("has a different URL for each version, and old URLs respond 404", async () => {
    await upload(PNG);
    const first = await logoAt();
    await upload(JPEG);
    expect(await logoAt()).not.toBe(first);
    expect((await send(first ?? "")).status).toBe(404);
    expect((await send("/assets/logo")).status).toBe(404);
  });

  it("is in the audit with its hash, type and size, but not its bytes", async () => {
    const entry = await lastEntry("logo_changed");
    expect(entry?.detail["after"]).toEqual({ hash: expect.any(String) as string, type: "image/jpeg", bytes: 7 });
  });

  it.each([
    ["no file", new Uint8Array()],
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ["HTML", "<!doctype html><script>alert(1)</script>"],
    ["GIF", "GIF89a\u0001\u0000"],
    ["RIFF that is no WebP", "RIFF\u0001\u0002\u0003\u0004WAVEfmt "],
    ["half a signature", PNG.slice(0, 7)],
    ["a byte too many", new Uint8Array(32 * 1024 + 1).fill(0).map((_, at) => PNG[at] ?? 0)],
  ])("is refused with a message at the field: %s", async (_what, bytes) => {
    const before = await logoAt();
    const response = await upload(bytes);
    expect(response.status).toBe(422);
    expect(errorBeside(await response.text(), "logo")).toBeTruthy();
    expect(await logoAt()).toBe(before);
  });

  it("may have exactly 32 KB", async () => {
    expect((await upload(new Uint8Array(32 * 1024).map((_, at) => PNG[at] ?? 0))).status).toBe(303);
  });

  it("is refused with 413 if the form is too long", async () => {
    await expectPage(await upload(new Uint8Array(70 * 1024)), 413);
  });

  it.each([
    ["a form of another kind", "application/x-www-form-urlencoded", "csrf_token=x&logo=x"],
    ["no boundary", "multipart/form-data", "--x\r\n\r\n--x--"],
    ["a body that is none", "multipart/form-data; boundary=x", "nothing of the kind"],
  ])("is refused as a broken form: %s", async (_what, type, body) => {
    await expectPage(await sendBody(type, body), 400);
  });

  it("is refused without this session's CSRF token", async () => {
    const before = await logoAt();
    await expectPage(await upload(WEBP, "image/webp", "of somebody else"), 400);
    expect(await logoAt()).toBe(before);
  });

  it("is not served at another instance", async () => {
    await makeInstance("other");
    expect((await send(`http://other.localhost${(await logoAt()) ?? ""}`)).status).toBe(404);
  });

  it("is the only form that accepts multipart data", async () => {
    const form = new FormData();
    form.set("csrf_token", await ada.csrfToken());
    const encoded = new Response(form);
    const headers = { "Content-Type": encoded.headers.get("Content-Type") ?? "", "Sec-Fetch-Site": "same-origin" };
    await expectPage(await ada.send("POST", "/admin/settings", headers, await encoded.text()), 400);
  });

  it("is no longer served after it is removed", async () => {
    const before = await logoAt();
    await ada.post("/admin/settings/remove-logo");
    expect(await logoAt()).toBeUndefined();
    expect((await send(before ?? "")).status).toBe(404);
    const hash = new URLSearchParams(before?.split("?")[1]).get("v");
    expect((await lastEntry("logo_changed"))?.detail).toEqual({ before: hash, after: null });
  });
});

describe("the danger zone of the settings", () => {
  it("ends every grant of the instance after its name was typed, and says how many apps and people are affected", async () => {
    const app = await AppClient.registered();
    const { access_token: token } = await app.tokens("ben");
    const unredeemed = await app.authorize("ada");
    expect(await ada.read("/admin/settings/end-grants")).toContain("1 app of 1 person");

    for (const name of ["", "Acme", "other"]) {
      const refused = await ada.post("/admin/settings/end-grants", { name });
      expect(refused.status).toBe(422);
      expect(errorBeside(await refused.text(), "name")).toMatch(/Type acme/);
    }
    expect((await search(token)).status).toBe(200);

    const done = await ada.post("/admin/settings/end-grants", { name: "acme" });
    expect(done.headers.get("Location")).toBe("/admin/settings?done=ended");
    expect((await search(token)).status).toBe(401);
    expect((await app.redeem(unredeemed)).status).toBe(400);
    expect((await lastEntry("grants_ended"))?.detail).toMatchObject({ scope: "instance", grants: 2 });
  });

  it("leaves another instance's grants alone", async () => {
    const other = await servicesOf(env).instances.require("other");
    const app = await AppClient.registered({}, "http://other.localhost");
    await app.tokens("ben");
    await ada.post("/admin/settings/end-grants", { name: "acme" });
    expect((await servicesOf(env).grants.reach(await policyOf(other))).grants).toBe(1);
  });

  it("refuses identity providers' tokens, and accepts them again", async () => {
    expect(await ada.read("/admin/settings/refuse-external-tokens")).toContain("0 providers");
    await ada.post("/admin/settings/refuse-external-tokens");
    expect((await settings())?.externalTokensEnabled).toBe(false);
    expect(await ada.read("/admin/settings")).toContain("Accept again");
    await ada.post("/admin/settings/take-external-tokens");
    expect((await settings())?.externalTokensEnabled).toBe(true);
  });

  it("shows what another isolate has just saved", async () => {
    await ada.read("/admin/settings");
    const acme = await servicesOf(env).instances.require("acme");
    const { settings: elsewhere } = servicesOf({ ...env }).administrationOf(acme, "test");
    await elsewhere.change({ displayName: "Saved elsewhere" });
    expect(await ada.read("/admin/settings")).toContain("Saved elsewhere");
  });

  it("signs everybody out of this instance's pages, including whoever does it, and nobody of another instance", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    const elsewhere = await openConsole(await servicesOf(env).instances.require("other"));
    expect(await ada.read("/admin/settings/sign-everybody-out")).toMatch(/[2-9] sign-ins/);
    const done = await ada.post("/admin/settings/sign-everybody-out");
    expect([done.status, done.headers.get("Location")]).toEqual([303, "/admin"]);
    expect(ada.session).toBeUndefined();
    expect((await ben.get("/account")).status).toBe(303);
    expect((await elsewhere.get("/admin")).status).toBe(200);
    expect((await lastEntry("sessions_ended"))?.detail["sessions"]).toBeGreaterThanOrEqual(2);
  });
});
