import { servicesOf } from "#services.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { LeftFor, Page } from "../../scripts/local/scripted-browser.ts";
import { AppClient, CHALLENGE } from "../support/app-client.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { signedInDirectly } from "../support/direct-sso.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { knownPerson } from "../support/people.ts";
import { SigningSso } from "../support/signing-sso.ts";
import { signInAtSso } from "../support/sso-sign-in.ts";
import { addSso, makeInstance, ORIGIN, send, travel } from "../support/world.ts";

const FOREIGN = /email domain is not one of those that sign in here/;

let acme: InstanceRecord;
let app: AppClient;
let other: SigningSso;

const otherBen = (claims: Record<string, unknown> = {}) => other.atSecond(claims);

beforeAll(async () => {
  acme = await makeInstance();
  app = await AppClient.registered();
  other = await SigningSso.beside(acme, inject("sso").issuer, { label: "Other" });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Begins an authorization as a browser does, up to the page or the SSO that it leads to. */
async function begin(changes: Record<string, string> = {}, at = app) {
  const response = await send(at.authorizeUrl(CHALLENGE, changes));
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { response, cookie, location: response.headers.get("Location") ?? "" };
}

/** Presses a button of the page with the choice. */
async function choose(page: string, cookie: string, number: string, headers: Record<string, string> = {}) {
  const handle = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? expect.fail("no page with a choice");
  const body = new URLSearchParams({ request: handle, sso: number });
  const sent = { Cookie: cookie, "Sec-Fetch-Site": "same-origin", Origin: ORIGIN, ...headers };
  return send("/oauth/sign-in", { method: "POST", body, headers: sent });
}

async function begunAt(number: string) {
  const { response, cookie } = await begin();
  const chosen = await choose(await response.text(), cookie, number);
  return { cookie, ssoUrl: new URL(chosen.headers.get("Location") ?? "") };
}

function htmlOf(page: Page | LeftFor): string {
  return "html" in page ? page.html : page.leftFor;
}

describe("an instance with two single sign-ons", () => {
  it("asks people of an app where they sign in, with a button for each", async () => {
    const { response, cookie } = await begin();
    const page = await expectPage(response, 200);
    expect(page).toContain(`Sign in with ${new URL(inject("sso").issuer).host}`);
    expect(page).toContain("Sign in with Other");
    expect(page).not.toContain("<script");
    const chosen = await choose(page, cookie, "2");
    expect(chosen.status).toBe(303);
    const url = new URL(chosen.headers.get("Location") ?? "");
    expect(url.href).toContain(`${other.issuer.url}/authorize`);
    expect(url.searchParams.get("redirect_uri")).toBe(`${ORIGIN}/oauth/callback/2`);
  });

  it("takes a choice once, in the browser that was asked, from its own page, and of an SSO that is there", async () => {
    const { response, cookie } = await begin();
    const page = await response.text();
    await expectPage(await choose(page, cookie, "3"), 400);
    await expectPage(await choose(page, "gatehouse-browser=" + "x".repeat(43), "1"), 400);
    await expectPage(await choose(page, cookie, "1", { "Sec-Fetch-Site": "cross-site" }), 400);
    expect((await choose(page, cookie, "1")).status).toBe(303);
    await expectPage(await choose(page, cookie, "2"), 400);
  });

  it("uses another state for each SSO, and accepts none that belongs to the page with the choice", async () => {
    const { response, cookie } = await begin();
    const page = await response.text();
    const handle = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const chosen = new URL((await choose(page, cookie, "1")).headers.get("Location") ?? "");
    expect(chosen.searchParams.get("state")).not.toBe(handle);
    const unchosen = await begin();
    const state = /name="request" value="([^"]+)"/.exec(await unchosen.response.text())?.[1] ?? "";
    const callback = `/oauth/callback?${new URLSearchParams({ code: "c", state }).toString()}`;
    await expectPage(await send(callback, { headers: { Cookie: unchosen.cookie } }), 400);
  });

  it.each([
    ["ben@acme.example", () => inject("sso").issuer],
    ["BEN@ACME.Example", () => inject("sso").issuer],
    ["ben@other.example", () => other.issuer.url],
  ])("follows the hint %s", async (hint, issuer) => {
    expect((await begin({ login_hint: hint })).location).toContain(issuer());
  });

  it.each([
    "ben@sub.acme.example",
    "ben@acme.example.evil.example",
    "ben@acme.example.",
    "ben@aсme.example",
    "ben@xn--ame-d4b.example",
    "ben@a\u212Ame.example",
    "acme.example",
    "@acme.example",
    "x",
  ])("asks in spite of the hint %j, which is of no SSO's domain", async (hint) => {
    const { response } = await begin({ login_hint: hint });
    expect(await expectPage(response, 200)).toContain('name="sso"');
  });

  it("asks on the sign-in page of our own pages, too", async () => {
    const page = await (await send("/sign-in?to=/account")).text();
    expect(page.match(/name="sso" value="[12]"/g)).toHaveLength(2);
    const visitor = new ConsoleBrowser(ORIGIN);
    // Without a choice, the page is shown again.
    expect((await visitor.beginSignIn("/account")).headers.get("Location")).toBe("/sign-in?to=%2Faccount");
    const person = await ConsoleBrowser.signIn("ben", ORIGIN, "/account", otherBen());
    expect(await person.read("/account")).toContain("ben@other.example");
  });

  it("keeps the same subject of both apart, in sessions and for apps", async () => {
    await ConsoleBrowser.signIn("ben", ORIGIN, "/account");
    await ConsoleBrowser.signIn("ben", ORIGIN, "/account", otherBen());
    const [one, two] = [await knownPerson(acme, "ben@acme.example"), await knownPerson(acme, "ben@other.example")];
    expect(one.id).not.toBe(two.id);
    for (const [at, email] of [
      [undefined, "ben@acme.example"],
      [otherBen(), "ben@other.example"],
    ] as const) {
      const browser = app.browser(signedInDirectly("ben", send, at));
      const asked = await browser.visit(app.authorizeUrl(CHALLENGE));
      if ("leftFor" in asked) throw new Error(`left for ${asked.leftFor}`);
      const consent = await browser.press(asked, { name: "sso", value: at?.number ?? "1" });
      expect(htmlOf(consent)).toContain(email);
    }
  });

  it.each([
    ["the other's", "ben@acme.example"],
    ["a subdomain", "ben@sub.other.example"],
    ["one that ends alike", "ben@another.example"],
    ["one with a dot at its end", "ben@other.example."],
    ["one that looks alike", "ben@оther.example"],
    ["nobody's", "ben@elsewhere.example"],
  ])("refuses an address of %s domain, and says so", async (_which, email) => {
    const before = await env.DB.prepare("SELECT count(*) AS n FROM people").first("n");
    await expect(ConsoleBrowser.signIn("ben", ORIGIN, "/account", otherBen({ email }))).rejects.toThrow(FOREIGN);
    const browser = app.browser(signedInDirectly("ben", send, otherBen({ email })));
    const asked = await browser.visit(app.authorizeUrl(CHALLENGE));
    if ("leftFor" in asked) throw new Error(`left for ${asked.leftFor}`);
    expect(htmlOf(await browser.press(asked, { name: "sso", value: "2" }))).toMatch(FOREIGN);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM people").first("n")).toBe(before);
  });

  it("accepts an address of its domain in capitals as the same", async () => {
    await ConsoleBrowser.signIn("ben", ORIGIN, "/account", otherBen({ email: "Ben@OTHER.example" }));
    expect((await knownPerson(acme, "ben@other.example")).email).toBe("ben@other.example");
  });

  it("sends a step-up to the SSO where the person signed in", async () => {
    for (const [at, issuer] of [
      [undefined, inject("sso").issuer],
      [otherBen(), other.issuer.url],
    ] as const) {
      vi.useRealTimers();
      const person = await ConsoleBrowser.signIn("ben", ORIGIN, "/account", at);
      travel(601);
      const response = await person.post("/account/end-sessions");
      expect(response.status).toBe(403);
      const link = /<a class="button primary" href="([^"]+)"/.exec(await response.text())?.[1] ?? "";
      expect(link).toMatch(new RegExp(`^${issuer}/`));
    }
  });
});

describe("a response of one SSO to a sign-in at another (mix-up, RFC 9700 §4.4)", () => {
  const comeBack = (callback: URL, cookie: string) => send(callback.href, { headers: { Cookie: cookie } });

  it("is refused at the other's redirect URI, for apps", async () => {
    const first = await begunAt("1");
    const answer = await signInAtSso(first.ssoUrl, "ben");
    const elsewhere = new URL(answer);
    elsewhere.pathname = "/oauth/callback/2";
    await expectPage(await comeBack(elsewhere, first.cookie), 400);
    // The state is used up.
    await expectPage(await comeBack(answer, first.cookie), 400);
  });

  it("is refused if the other's code comes with its state", async () => {
    const [first, second] = [await begunAt("1"), await begunAt("2")];
    const answer = await signInAtSso(first.ssoUrl, "ben");
    answer.searchParams.set("state", second.ssoUrl.searchParams.get("state") ?? "");
    await expectPage(await comeBack(answer, second.cookie), 400);
  });

  it("is refused if it names the other (RFC 9207)", async () => {
    const first = await begunAt("1");
    const answer = await signInAtSso(first.ssoUrl, "ben");
    answer.searchParams.set("iss", other.issuer.url);
    await expectPage(await comeBack(answer, first.cookie), 403);
  });

  it("is refused on our own pages", async () => {
    const visitor = new ConsoleBrowser(ORIGIN);
    const page = await visitor.read("/sign-in?to=/account");
    const csrf = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const response = await visitor.postRaw("/sign-in", { csrf_token: csrf, to: "/account", sso: "1" });
    const answer = await signInAtSso(new URL(response.headers.get("Location") ?? ""), "ben");
    answer.pathname = "/oauth/callback/2";
    await expectPage(await visitor.get(answer.pathname + answer.search), 400);
    expect(visitor.session).toBeUndefined();
  });

  it("is refused after the SSO was removed during the sign-in", async () => {
    const spare = await SigningSso.beside(acme, inject("sso").issuer, { emailDomains: ["spare.example"] });
    const { singleSignOn } = servicesOf(env).administrationOf(acme, "test");
    const begun = await begunAt("3");
    const state = begun.ssoUrl.searchParams.get("state") ?? "";
    await singleSignOn.remove(spare.issuer.url);
    const callback = new URL(`${ORIGIN}/oauth/callback/3?${new URLSearchParams({ code: "c", state }).toString()}`);
    await expectPage(await comeBack(callback, begun.cookie), 400);
  });
});

describe("an instance with one single sign-on", () => {
  it("shows the same pages as before, and sends people of apps there without a question", async () => {
    const one = await makeInstance("alone");
    const page = async () => {
      const html = await (await send("http://alone.localhost/sign-in?to=/account")).text();
      return html.replace(/name="csrf_token" value="[^"]+"/, "");
    };
    const before = await page();
    expect(before).toContain('<button type="submit" class="primary" name="begin" value="yes">Sign in</button>');
    await addSso(one, inject("sso").issuer, "https://spare.example");
    expect(await page()).not.toBe(before);
    await servicesOf(env).administrationOf(one, "test").singleSignOn.remove("https://spare.example");
    expect(await page()).toBe(before);
    const alone = await AppClient.registered({}, "http://alone.localhost");
    const asked = await begin({}, alone);
    expect(asked.response.status).toBe(302);
    expect(new URL(asked.location).searchParams.get("redirect_uri")).toBe("http://alone.localhost/oauth/callback");
  });
});
