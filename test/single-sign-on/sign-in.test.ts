import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, inject, it } from "vitest";
import type { LeftFor, Page } from "../../scripts/local/scripted-browser.ts";
import { AppClient, CHALLENGE } from "../support/app-client.ts";
import { openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { signInAtSso } from "../support/sso-sign-in.ts";
import { connectSso, makeInstance, ORIGIN, send, setDeactivated } from "../support/world.ts";

const HTTPS_ORIGIN = "https://acme-be.example.com";

describe("signing in at the organisation's SSO (OpenID Connect Core, RFC 9700 §4.7)", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance();
    app = await AppClient.registered();
  });

  /** Begins an authorization as a browser does. Returns where it is sent, and its cookie. */
  async function begin(origin = ORIGIN) {
    const url = app.authorizeUrl(CHALLENGE).replace(ORIGIN, origin);
    const response = await send(url);
    const setCookie = response.headers.getSetCookie()[0] ?? "";
    return {
      ssoUrl: new URL(response.headers.get("Location") ?? ""),
      setCookie,
      cookie: setCookie.split(";")[0] ?? "",
    };
  }

  /** Returns from the SSO. */
  function comeBack(callback: URL, cookie: string | undefined): Promise<Response> {
    return send(callback.href, cookie === undefined ? {} : { headers: { Cookie: cookie } });
  }

  async function signIn(sub: string): Promise<Page | LeftFor> {
    const browser = app.browser();
    const picker = await browser.visit(app.authorizeUrl(CHALLENGE));
    if ("leftFor" in picker) throw new Error("never came to the SSO");
    return browser.press(picker, { name: "sub", value: sub });
  }

  function refusedPage(answer: Page | LeftFor): void {
    expect(answer).toMatchObject({ status: 403 });
    expect("html" in answer && answer.html).not.toContain('name="decision"');
  }

  it("uses a new state, nonce and PKCE challenge each time, and keeps none of them where it could leak", async () => {
    const [first, second] = [await begin(), await begin()];
    expect(first.ssoUrl.origin).toBe(inject("sso").issuer);
    for (const name of ["state", "nonce", "code_challenge"]) {
      const value = first.ssoUrl.searchParams.get(name) ?? "";
      expect(value.length).toBeGreaterThanOrEqual(43);
      expect(second.ssoUrl.searchParams.get(name)).not.toBe(value);
    }
    expect(first.ssoUrl.searchParams.get("code_challenge_method")).toBe("S256");
    expect(first.ssoUrl.searchParams.get("redirect_uri")).toBe(`${ORIGIN}/oauth/callback`);
    const stored = JSON.stringify((await env.DB.prepare("SELECT * FROM authorization_requests").all()).results);
    expect(stored).not.toContain(first.ssoUrl.searchParams.get("state"));
    expect(stored).not.toContain(first.cookie.split("=")[1]);
    expect(first.ssoUrl.href).not.toContain(first.cookie.split("=")[1]);
  });

  it("binds the browser by a __Host- cookie that scripts can't read and other sites can't send", async () => {
    const { setCookie } = await begin(HTTPS_ORIGIN);
    expect(setCookie).toMatch(/^__Host-/);
    for (const attribute of ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"]) expect(setCookie).toContain(attribute);
    expect(setCookie).not.toMatch(/Domain=/i);
    const local = (await begin()).setCookie;
    expect(local).toContain("HttpOnly");
    expect(local).toContain("SameSite=Lax");
  });

  it("accepts no cookie that somebody else made up", async () => {
    const { cookie } = await begin();
    const name = cookie.split("=")[0] ?? "";
    const forged = await send(app.authorizeUrl(CHALLENGE), { headers: { Cookie: `${name}=short` } });
    expect(forged.headers.getSetCookie()[0]).not.toContain("=short;");
  });

  it("works over https, with a __Host- cookie", async () => {
    const { ssoUrl, cookie } = await begin(HTTPS_ORIGIN);
    const response = await comeBack(await signInAtSso(ssoUrl, "ben"), cookie);
    expect(response.status).toBe(303);
    expect(response.headers.get("Location")).toMatch(/^\/oauth\/consent\?request=/);
  });

  it("accepts a state once, even if 20 callbacks come at the same time", async () => {
    const { ssoUrl, cookie } = await begin();
    const callback = await signInAtSso(ssoUrl, "ben");
    const responses = await Promise.all(Array.from({ length: 20 }, () => comeBack(callback, cookie)));
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(19);
    await expectPage(await comeBack(callback, cookie), 400);
  });

  it("can't be completed in another browser (login CSRF)", async () => {
    const attacker = await begin();
    const callback = await signInAtSso(attacker.ssoUrl, "farid");
    const victim = await begin();
    await expectPage(await comeBack(callback, undefined), 400);
    await expectPage(await comeBack(callback, victim.cookie), 400);
    expect((await comeBack(callback, attacker.cookie)).status).toBe(303);
  });

  it("accepts no response to another request: the SSO's code belongs to its own state", async () => {
    const [mine, theirs] = [await begin(), await begin()];
    const callback = await signInAtSso(theirs.ssoUrl, "farid");
    callback.searchParams.set("state", mine.ssoUrl.searchParams.get("state") ?? "");
    await expectPage(await comeBack(callback, mine.cookie), 403);
  });

  it.each([
    ["an invented code", (answer: URL) => answer.searchParams.set("code", "invented"), 403],
    ["no code", (answer: URL) => answer.searchParams.delete("code"), 403],
    ["another issuer (RFC 9207)", (answer: URL) => answer.searchParams.set("iss", "https://sso.example"), 403],
    ["an invented state", (answer: URL) => answer.searchParams.set("state", "x".repeat(43)), 400],
    ["no state", (answer: URL) => answer.searchParams.delete("state"), 400],
    ["two states", (answer: URL) => answer.searchParams.append("state", "x"), 400],
    ["two codes", (answer: URL) => answer.searchParams.append("code", "x"), 400],
  ])("stops at a response with %s", async (_, tamper, status) => {
    const { ssoUrl, cookie } = await begin();
    const callback = await signInAtSso(ssoUrl, "ben");
    tamper(callback);
    await expectPage(await comeBack(callback, cookie), status);
  });

  it("tells the app when the person cancels at the SSO (OAuth 2.1 §4.1.2.1)", async () => {
    const browser = app.browser();
    const picker = await browser.visit(app.authorizeUrl(CHALLENGE));
    if ("leftFor" in picker) throw new Error("never came to the SSO");
    const answer = await browser.press(picker, { name: "", value: "" });
    if (!("leftFor" in answer)) throw new Error(`a page, and the app waits: ${answer.status}`);
    const { searchParams } = new URL(answer.leftFor);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      error: "access_denied",
      state: "state-of-the-app",
      iss: ORIGIN,
    });
  });

  const AADSTS50105 =
    "AADSTS50105: Your administrator has configured the application to block users unless they are specifically granted access.\r\nTrace ID: 7f3c";

  /** Returns from the SSO with an error instead of a code. */
  async function comeBackWith(said: Record<string, string>): Promise<Response> {
    const { ssoUrl, cookie } = await begin();
    const callback = new URL(`${ORIGIN}/oauth/callback`);
    const state = ssoUrl.searchParams.get("state") ?? "";
    for (const [name, value] of Object.entries({ error: "access_denied", ...said, state, iss: inject("sso").issuer })) {
      callback.searchParams.set(name, value);
    }
    return comeBack(callback, cookie);
  }

  it.each([
    {},
    { error_description: "AADSTS65004: User declined to consent to access the app." },
    { error_description: "The person is gone", error_subcode: "cancel" },
    { error_description: "End-User aborted interaction" },
    { error_description: "User did not authorize the request" },
  ])("takes access_denied with %j for a person who cancelled", async (said: Record<string, string>) => {
    const response = await comeBackWith(said);
    const { searchParams } = new URL(response.headers.get("Location") ?? "");
    expect(searchParams.get("error_description")).toBe("The person cancelled the sign-in");
  });

  it.each([
    AADSTS50105,
    "User is not assigned to the client application.",
    "Policy evaluation failed for this request, please check the policy configurations.",
  ])("doesn't take an SSO that refuses for a person who cancelled, and shows an administrator: %s", async (said) => {
    const response = await comeBackWith({ error_description: said });
    const oneLine = said.replaceAll("\r\n", " ");
    const requestId = response.headers.get("X-Request-Id") ?? "";
    const html = await expectPage(response, 403);
    expect(html).toContain(requestId);
    expect(html).toContain(`access_denied: ${oneLine}`);
    const admin = await openConsole(instance);
    for (const page of [`/admin/connections?find=${requestId}`, "/admin/single-sign-on"]) {
      expect(await admin.read(page)).toContain(oneLine);
    }
  });

  it("shows an administrator which claim was refused, and what it said", async () => {
    refusedPage(await signIn("unverified"));
    const admin = await openConsole(instance);
    expect(await admin.read("/admin/single-sign-on")).toContain("(email_verified is false)");
  });

  it("asks first when the person cancels and the app is an unverified web app", async () => {
    const web = await AppClient.registered({ redirect_uris: ["https://web.example/cb"] });
    const browser = web.browser();
    const picker = await browser.visit(web.authorizeUrl(CHALLENGE));
    if ("leftFor" in picker) throw new Error("never came to the SSO");
    const answer = await browser.press(picker, { name: "", value: "" });
    expect(answer).toMatchObject({ status: 400, html: expect.stringContaining("<bdi>web.example</bdi>") });
  });

  it("refuses an email that the SSO has not verified (nOAuth)", async () => {
    refusedPage(await signIn("unverified"));
    const stored = env.DB.prepare("SELECT COUNT(*) AS n FROM people WHERE sso_subject = 'unverified'");
    expect(await stored.first("n")).toBe(0);
  });

  it("gives one person's email to no other subject, regardless of case", async () => {
    expect(await signIn("ben")).toMatchObject({ status: 200 });
    refusedPage(await signIn("namesake"));
    const rows = await env.DB.prepare("SELECT sso_subject FROM people WHERE email = 'ben@acme.example'").all();
    expect(rows.results).toEqual([{ sso_subject: "ben" }]);
  });

  it("refuses a deactivated person", async () => {
    expect(await signIn("deniz")).toMatchObject({ status: 200 });
    await setDeactivated(instance, "deniz@acme.example");
    refusedPage(await signIn("deniz"));
    await setDeactivated(instance, "deniz@acme.example", false);
    expect(await signIn("deniz")).toMatchObject({ status: 200 });
  });

  it("reports, with a request id, that the SSO cannot be reached, and accepts no response of the one before", async () => {
    const underWay = await begin();
    const callback = await signInAtSso(underWay.ssoUrl, "ben");
    await connectSso(instance, "http://127.0.0.1:1");
    for (const [response, status] of [
      [await send(app.authorizeUrl(CHALLENGE)), 503],
      [await comeBack(callback, underWay.cookie), 400],
    ] as const) {
      const requestId = response.headers.get("X-Request-Id") ?? "";
      expect(requestId).not.toBe("");
      expect(await expectPage(response, status)).toContain(requestId);
    }
    await connectSso(instance);
  });
});
