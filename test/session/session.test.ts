import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { ownPage } from "#session/session-sign-in.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, CHALLENGE } from "../support/app-client.ts";
import { ConsoleBrowser, openConsole, originOf, setRole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { signInAtSso } from "../support/sso-sign-in.ts";
import { changeSettings, makeInstance, ORIGIN, setDeactivated, travel } from "../support/world.ts";
import { knownPerson } from "../support/people.ts";

const HTTPS_ORIGIN = "https://acme-be.example.com";

/** A working day. */
const SESSION_SECONDS = 8 * 3600;

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
  await setRole(instance);
});

afterEach(() => void vi.useRealTimers());

/** Begins a sign-in as a browser does. Returns the browser and where it is sent. */
async function begin(to: string, origin = ORIGIN) {
  const browser = new ConsoleBrowser(origin);
  const response = await browser.beginSignIn(to);
  expect(response.status).toBe(303);
  return { browser, ssoUrl: new URL(response.headers.get("Location") ?? "") };
}

function comeBack(browser: ConsoleBrowser, callback: URL): Promise<Response> {
  return browser.get(callback.pathname + callback.search);
}

/** Expects a redirect to the sign-in page. */
function expectSignIn(response: Response): void {
  expect(response.status).toBe(303);
  expect(response.headers.get("Location")).toMatch(/^\/sign-in\?to=/);
}

describe("signing in to the instance's own pages (OpenID Connect Core §3.1, ASVS 5.0 §7.2)", () => {
  it("leads through the SSO to the page that was asked for", async () => {
    const asked = await new ConsoleBrowser(ORIGIN).get("/admin/oauth?done=saved");
    expectSignIn(asked);
    const to = new URL(asked.headers.get("Location") ?? "", ORIGIN).searchParams.get("to") ?? "";
    const { browser, ssoUrl } = await begin(to);
    const back = await comeBack(browser, await signInAtSso(ssoUrl, "ada"));
    expect({ status: back.status, to: back.headers.get("Location") }).toEqual({
      status: 303,
      to: "/admin/oauth?done=saved",
    });
    expect((await browser.get("/admin/oauth")).status).toBe(200);
  });

  it.each([
    "/search?q=type:runbook from:ada@acme.example",
    "/search?q=C*",
    "/search?q=a,b;c(d)/e!$5'?:@",
    "/admin/people?search=a*b",
    "/documents/wiki/a:b?q=x/y",
    `/search?q=${"a".repeat(7000)}`,
  ])("returns to %j with whatever was asked for there", (address) => {
    const { pathname, search } = new URL(address, ORIGIN);
    expect(ownPage(pathname + search)).toBe(pathname + search);
  });

  it.each([
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example/admin",
    "http:evil.example",
    "javascript:alert(1)",
    "/admin//evil.example",
    "/admin/../oauth/authorize?client_id=x",
    "/admin/..",
    "/admin/./x",
    "/admin/%2e%2e/x",
    "/admin/%2f%2fevil.example",
    "/admin/..%2fx",
    "/admin\\..\\x",
    "/administrator",
    "/search//evil.example",
    "/searches",
    "/documents",
    "/documents/wiki",
    "/documents/wiki/..",
    "/documents/wiki/%2E%2e",
    "/documents/wiki/.%2e?x=1",
    "/documents/%2e%2e/admin",
    "/documents/../admin",
    "/documents/wiki//evil.example",
    "/documents/wiki/a/b",
    "/documents/wiki/a\\b",
    "/documents/wiki/%zz",
    `/documents/wiki/${"a".repeat(8000)}`,
    "/admin@evil.example",
    "/admin.evil.example",
    "/account#//evil.example",
    "/search?q=a#//evil.example",
    "/search?q=a\\b",
    " /admin",
    "/sign-out",
    "/",
    "",
  ])("returns to the account page if %j was asked for (no open redirect, CWE-601)", (to) => {
    expect(ownPage(to)).toBe("/account");
  });

  it("returns to no other host from the sign-in, whatever was asked for", async () => {
    const { browser, ssoUrl } = await begin("//evil.example");
    const back = await comeBack(browser, await signInAtSso(ssoUrl, "ben"));
    expect(back.headers.get("Location")).toBe("/account");
  });

  it("is refused if the page to return to has control characters or is broken UTF-8", async () => {
    for (const query of ["to=/admin%0d%0aSet-Cookie:x=y", "to=/admin%00", "to=%ff"]) {
      await expectPage(await new ConsoleBrowser(ORIGIN).get(`/sign-in?${query}`), 400);
    }
  });

  it("can be completed once: the callback spends the state", async () => {
    const { browser, ssoUrl } = await begin("/account");
    const callback = await signInAtSso(ssoUrl, "ben");
    expect((await comeBack(browser, callback)).status).toBe(303);
    const again = new ConsoleBrowser(ORIGIN, browser.cookies);
    again.cookies.delete("gatehouse-session");
    await expectPage(await comeBack(again, callback), 400);
    expect(again.session).toBeUndefined();
  });

  it("can only be completed in the browser that began it (login CSRF)", async () => {
    const { browser, ssoUrl } = await begin("/account");
    const callback = await signInAtSso(ssoUrl, "ben");
    const victim = new ConsoleBrowser(ORIGIN);
    await expectPage(await comeBack(victim, callback), 400);
    const victimWithCookie = (await begin("/account")).browser;
    await expectPage(await comeBack(victimWithCookie, callback), 400);
    expect([victim.session, victimWithCookie.session]).toEqual([undefined, undefined]);
    expect((await comeBack(browser, callback)).status).toBe(303);
  });

  it("has to be completed within a quarter of an hour", async () => {
    const { browser, ssoUrl } = await begin("/account");
    const callback = await signInAtSso(ssoUrl, "ben");
    travel(15 * 60);
    await expectPage(await comeBack(browser, callback), 400);
    expect(browser.session).toBeUndefined();
  });

  it("has to be completed at the instance where it began", async () => {
    const other = await makeInstance("other");
    const { browser, ssoUrl } = await begin("/account");
    const callback = await signInAtSso(ssoUrl, "ben");
    const elsewhere = new ConsoleBrowser(originOf(other), browser.cookies);
    await expectPage(await comeBack(elsewhere, callback), 400);
    expect(elsewhere.session).toBeUndefined();
  });

  it("gives no session to somebody who cancels, whose email is unverified, or who is deactivated", async () => {
    const { browser, ssoUrl } = await begin("/account");
    const cancelled = new URL(ssoUrl.searchParams.get("redirect_uri") ?? "");
    cancelled.search = new URLSearchParams({
      error: "access_denied",
      state: ssoUrl.searchParams.get("state") ?? "",
    }).toString();
    expect(await expectPage(await comeBack(browser, cancelled), 403)).toContain("was cancelled");
    expect(browser.session).toBeUndefined();
    await expect(ConsoleBrowser.signIn("unverified")).rejects.toThrow(/email_verified is false/);
    await expect(ConsoleBrowser.signIn("unverified")).rejects.toThrow(/no session/);
    await setDeactivated(instance, "carla@acme.example");
    await expect(ConsoleBrowser.signIn("carla")).rejects.toThrow(/no session/);
  });

  it("says what the SSO answered if it refuses somebody, also if that has line breaks as at Entra", async () => {
    const { browser, ssoUrl } = await begin("/admin");
    const refused = new URL(ssoUrl.searchParams.get("redirect_uri") ?? "");
    refused.search = new URLSearchParams({
      error: "access_denied",
      error_description: "AADSTS50105: The signed in user is not assigned to a role.\r\nTrace ID: 1",
      state: ssoUrl.searchParams.get("state") ?? "",
      iss: ssoUrl.origin,
    }).toString();
    expect(await expectPage(await comeBack(browser, refused), 403)).toContain("AADSTS50105: The signed in user");
    expect(browser.session).toBeUndefined();
  });

  it("can't be exchanged for the sign-in of an authorization, or the other way round", async () => {
    const app = await AppClient.registered();
    const browser = new ConsoleBrowser(ORIGIN);
    const url = new URL(app.authorizeUrl(CHALLENGE));
    const ssoUrl = new URL((await browser.get(url.pathname + url.search)).headers.get("Location") ?? "");
    const callback = await signInAtSso(ssoUrl, "ben");
    const state = callback.searchParams.get("state") ?? "";
    callback.searchParams.set("state", `session.${state}`);
    await expectPage(await comeBack(browser, callback), 400);
    callback.searchParams.set("state", state);
    expect((await comeBack(browser, callback)).headers.get("Location")).toMatch(/^\/oauth\/consent/);
    expect(browser.session).toBeUndefined();
  });
});

describe("the session's cookie (RFC 6265bis §4.1.3, ASVS 5.0 §3.3)", () => {
  async function setCookieAt(origin: string): Promise<string> {
    const { browser, ssoUrl } = await begin("/account", origin);
    const back = await comeBack(browser, await signInAtSso(ssoUrl, "ben"));
    return back.headers.getSetCookie().find((line) => line.includes("session=")) ?? "";
  }

  it("is __Host-, Secure, HttpOnly and SameSite=Lax over https, and lives a working day", async () => {
    const line = await setCookieAt(HTTPS_ORIGIN);
    expect(line).toMatch(/^__Host-gatehouse-session=[A-Za-z0-9_-]{43};/);
    const attributes = line.split("; ").slice(1).sort();
    expect(attributes).toEqual(["HttpOnly", `Max-Age=${SESSION_SECONDS}`, "Path=/", "SameSite=Lax", "Secure"]);
  });

  it("is HttpOnly and SameSite=Lax over http, which only local development uses", async () => {
    expect(await setCookieAt(ORIGIN)).toMatch(/^gatehouse-session=/);
    const attributes = (await setCookieAt(ORIGIN)).split("; ").slice(1).sort();
    expect(attributes).toEqual(["HttpOnly", `Max-Age=${SESSION_SECONDS}`, "Path=/", "SameSite=Lax"]);
  });

  it("is new at each sign-in, and stored only as a hash (ASVS 5.0 §7.2.4)", async () => {
    const [first, second] = [await ConsoleBrowser.signIn("ben"), await ConsoleBrowser.signIn("ben")];
    expect(first.session).not.toBe(second.session);
    const secret = first.session?.split("=")[1] ?? "none";
    for (const table of ["sessions", "session_sign_ins", "audit"]) {
      const rows = JSON.stringify((await env.DB.prepare(`SELECT * FROM ${table}`).all()).results);
      expect(rows).not.toContain(secret);
    }
  });

  it("ends the session that it replaces in this browser: a copy of the old cookie is useless (ASVS 5.0 §7.2.4)", async () => {
    const { browser, ssoUrl } = await begin("/account");
    await comeBack(browser, await signInAtSso(ssoUrl, "ben"));
    const copied = new ConsoleBrowser(ORIGIN, browser.cookies);
    const again = await browser.beginSignIn("/account");
    await comeBack(browser, await signInAtSso(new URL(again.headers.get("Location") ?? ""), "ben"));
    expect((await browser.get("/account")).status).toBe(200);
    expectSignIn(await copied.get("/account"));
  });

  it("is useless without its prefix over https", async () => {
    const { browser, ssoUrl } = await begin("/account", HTTPS_ORIGIN);
    await comeBack(browser, await signInAtSso(ssoUrl, "ben"));
    expect((await browser.get("/account")).status).toBe(200);
    const [, secret = ""] = browser.session?.split("=") ?? [];
    expectSignIn(await new ConsoleBrowser(HTTPS_ORIGIN, [["gatehouse-session", secret]]).get("/account"));
  });

  it.each(["", "x", "a".repeat(43), `${"a".repeat(43)}'--`, "%00"])("of %j is nobody's", async (secret) => {
    expectSignIn(await new ConsoleBrowser(ORIGIN, [["gatehouse-session", secret]]).get("/account"));
  });
});

describe("the end of a session (ASVS 5.0 §7.4)", () => {
  it("happens on the server at sign-out: a copy of the cookie is useless", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    const kept = new ConsoleBrowser(ORIGIN, ben.cookies);
    await expectPage(await ben.post("/sign-out"), 200);
    expect(ben.session).toBeUndefined();
    expectSignIn(await kept.get("/account"));
  });

  it("doesn't affect the person's other sessions", async () => {
    // Somebody with few sessions: beyond twenty the oldest ends, and those of one second are equally old.
    const [laptop, phone] = [await ConsoleBrowser.signIn("elin"), await ConsoleBrowser.signIn("elin")];
    await laptop.post("/sign-out");
    expect((await phone.get("/account")).status).toBe(200);
  });

  it("happens after a working day, however busy the session is", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    for (let seconds = 0; seconds < SESSION_SECONDS - 1200; seconds += 1200) {
      travel(1200);
      expect((await ben.get("/account")).status).toBe(200);
    }
    travel(1260);
    expectSignIn(await ben.get("/account"));
  });

  it("happens at the next request after the person was deactivated", async () => {
    const deniz = await ConsoleBrowser.signIn("deniz");
    const csrfToken = await deniz.csrfToken();
    await setDeactivated(instance, "deniz@acme.example");
    expectSignIn(await deniz.get("/account"));
    await expectPage(await deniz.postRaw("/account/end-all", { csrf_token: csrfToken }), 403);
  });

  it("is final even if a deactivated person is reactivated: they have to sign in again (ASVS 5.0 §7.4.2)", async () => {
    const farid = await ConsoleBrowser.signIn("farid");
    await setDeactivated(instance, "farid@acme.example");
    await setDeactivated(instance, "farid@acme.example", false);
    expectSignIn(await farid.get("/account"));
    expect((await (await ConsoleBrowser.signIn("farid")).get("/account")).status).toBe(200);
  });

  it("happens when the person is released from the account that signed in, because it may become somebody else's", async () => {
    const farid = await ConsoleBrowser.signIn("farid");
    const { administrationOf } = servicesOf(env);
    await administrationOf(instance, "test").people.release(await knownPerson(instance, "farid@acme.example"));
    expectSignIn(await farid.get("/account"));
  });

  it("happens only in the console when an administrator loses the role, at the next request", async () => {
    await setRole(instance, "elin@acme.example");
    const elin = await ConsoleBrowser.signIn("elin");
    expect((await elin.get("/admin/oauth")).status).toBe(200);
    await setRole(instance, "elin@acme.example", null);
    await expectPage(await elin.get("/admin/oauth"), 403);
    await expectPage(await elin.post("/admin/oauth/disable"), 403);
    expect((await elin.get("/account")).status).toBe(200);
  });

  it("needn't reach another instance, which never accepts this one's sessions", async () => {
    const other = await makeInstance("other").catch(() => ({ name: "other" }));
    const ada = await ConsoleBrowser.signIn("ada");
    expectSignIn(await new ConsoleBrowser(originOf(other), ada.cookies).get("/account"));
    expect((await ada.get("/account")).status).toBe(200);
  });
});

describe("forms of the instance's own pages (ASVS 5.0 §3.5, CSRF)", () => {
  const LIFETIMES = {
    accessTokenLifetimeSeconds: "30",
    refreshRepeatSeconds: "5",
    grantIdleSeconds: "7",
    grantLifetimeSeconds: "70",
  };
  let ada: ConsoleBrowser;

  beforeAll(async () => {
    ada = await openConsole(instance);
  });

  async function expectRefused(response: Response): Promise<void> {
    await expectPage(response, 400);
    const row = await env.DB.prepare("SELECT settings FROM instances WHERE name = 'acme'").first<{
      settings: string;
    }>();
    expect(row?.settings).not.toContain("grantIdleSeconds");
  }

  it("are refused without their token, with a wrong one, and with another session's", async () => {
    const carlaElsewhere = await openConsole(instance);
    await expectRefused(await ada.postRaw("/admin/oauth", LIFETIMES));
    await expectRefused(await ada.postRaw("/admin/oauth", { ...LIFETIMES, csrf_token: "" }));
    const own = await ada.csrfToken();
    for (const wrong of [own.slice(1), `${own}A`, "x", await carlaElsewhere.csrfToken()]) {
      await expectRefused(await ada.postRaw("/admin/oauth", { ...LIFETIMES, csrf_token: wrong }));
    }
    await expectRefused(await ada.postRaw(`/admin/oauth?csrf_token=${encodeURIComponent(own)}`, LIFETIMES));
  });

  it.each([
    { Origin: "https://evil.example" },
    { Origin: "http://other.localhost" },
    { Origin: "http://acme.localhost.evil.example" },
    { Origin: "https://acme.localhost" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "none" },
    { Origin: "null", "Sec-Fetch-Site": "cross-site" },
  ])("are refused from elsewhere, even with the right token: %j", async (headers) => {
    await expectRefused(await ada.post("/admin/oauth", LIFETIMES, headers));
  });

  it.each(["text/plain", "application/json", "multipart/form-data; boundary=x"])("are refused as %s", async (type) => {
    await expectRefused(await ada.post("/admin/oauth", LIFETIMES, { "Content-Type": type }));
  });

  it.each(["PUT", "PATCH", "DELETE"])("are refused if sent by %s instead of POST", async (method) => {
    const response = await ada.send(method, "/admin/oauth");
    expect(response.status).toBe(405);
  });

  it("need their token if the browser hides the origin, as the pages' referrer policy makes it (Fetch §3.2)", async () => {
    await expectRefused(await ada.postRaw("/admin/oauth", { ...LIFETIMES, csrf_token: "x" }, { Origin: "null" }));
    const saved = await ada.post("/admin/oauth", LIFETIMES, { Origin: "null" });
    expect(saved.headers.get("Location")).toBe("/admin/oauth?done=saved");
  });
});

describe("every page of the instance (ASVS 5.0 §3.4)", () => {
  const CLOSED = { "Cache-Control": "no-store", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer" };

  function expectHeaders(response: Response, isConsole: boolean): void {
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
    expect(policy.includes("form-action 'self'")).toBe(isConsole);
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(Object.fromEntries(Object.keys(CLOSED).map((name) => [name, response.headers.get(name)]))).toEqual(CLOSED);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
  }

  it("can't be cached or framed, runs only the instance's script, and sends no referrer", async () => {
    const ada = await openConsole(instance);
    expectHeaders(await ada.get("/admin/oauth"), true);
    expectHeaders(await ada.get("/admin/oauth/disable"), true);
    expectHeaders(await ada.get("/account"), false);
    expectHeaders(await ada.get("/sign-in"), false);
  });

  it("has the same headers when it refuses", async () => {
    const ada = await openConsole(instance);
    const ben = await ConsoleBrowser.signIn("ben");
    expectHeaders(await new ConsoleBrowser(ORIGIN).get("/admin/oauth"), true);
    expectHeaders(await ben.get("/admin/oauth"), true);
    expectHeaders(await ada.postRaw("/admin/oauth", {}), true);
    expectHeaders(await ada.get("/admin/there-is-no-such-page"), true);
    expectHeaders(await ada.postRaw("/account/end", {}), false);
  });

  it("has no inline script or style, and no handler in an attribute", async () => {
    const ada = await openConsole(instance);
    for (const path of ["/admin/oauth", "/admin/oauth/disable", "/account"]) {
      const html = await ada.read(path);
      expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
      for (const [tag] of html.matchAll(/<script\b[^>]*>/g)) expect(tag).toContain('src="/assets/console.js"');
    }
  });
});

describe("while OAuth is off", () => {
  it("the console and the account pages work, and the callback of an authorization responds 403", async () => {
    const app = await AppClient.registered();
    const ben = new ConsoleBrowser(ORIGIN);
    const url = new URL(app.authorizeUrl(CHALLENGE));
    const ssoUrl = new URL((await ben.get(url.pathname + url.search)).headers.get("Location") ?? "");
    const callback = await signInAtSso(ssoUrl, "ben");

    await changeSettings("acme", { oauthEnabled: false });
    await expectPage(await comeBack(ben, callback), 403);
    await expectPage(await ben.get("/oauth/callback?state=anything&code=x"), 403);
    const ada = await openConsole(instance);
    expect((await ada.get("/admin/oauth")).status).toBe(200);
    expect((await ada.get("/account")).status).toBe(200);
    const on = await ada.post("/admin/oauth/enable");
    expect(on.headers.get("Location")).toBe("/admin/oauth?done=enabled");
    expect((await comeBack(ben, callback)).headers.get("Location")).toMatch(/^\/oauth\/consent/);
  });
});
