import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { LeftFor, Page, ScriptedBrowser } from "../../scripts/local/scripted-browser.ts";
import { AppClient, CHALLENGE, search } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { expectTokens } from "../support/oauth-answers.ts";
import {
  approveClient,
  disableClient,
  makeInstance,
  ORIGIN,
  sendAnywhere,
  setDeactivated,
  travel,
} from "../support/world.ts";

const ALLOW = { name: "decision", value: "allow" };
const DENY = { name: "decision", value: "deny" };

describe("the consent page (OAuth 2.1 §7.3, RFC 9700 §4.16)", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance("acme", { displayName: "Acme Works" });
    app = await AppClient.registered({ client_name: "Notebook <b>Pro</b>" });
  });
  afterEach(() => void vi.useRealTimers());

  function asked(client: AppClient, changes = {}, browser: ScriptedBrowser = client.browser()): Promise<Page> {
    return client.toConsent(browser, "ben", client.authorizeUrl(CHALLENGE, changes));
  }

  async function countGrants(): Promise<number> {
    return (await env.DB.prepare("SELECT COUNT(*) AS n FROM grants").first<number>("n")) ?? -1;
  }

  function expectRefused(answer: Page | LeftFor): void {
    expect(answer).toMatchObject({ status: 400 });
  }

  function codeIn(answer: Page | LeftFor): string | null {
    return "leftFor" in answer ? new URL(answer.leftFor).searchParams.get("code") : null;
  }

  it("says how long the access lasts (ASVS 5.0 §10.7.2)", async () => {
    expect((await asked(app, { scope: "SEARCH offline_access" })).html).toContain("Access ends after 180 days");
    expect((await asked(app, { scope: "SEARCH" })).html).toContain("Access ends after 60 minutes");
  });

  it("is in the language that the app asks for, or else the browser (OpenID Connect Core §3.1.2.1)", async () => {
    const visited: string[] = [];
    const inGerman = app.browser((url, init) => {
      visited.push(url);
      const headers = new Headers(init.headers);
      headers.set("Accept-Language", "fr, de-AT;q=0.9, en;q=0.5");
      return sendAnywhere(url, { ...init, headers });
    });
    const german = await asked(app, {}, inGerman);
    expect(german.html).toContain('<html lang="de" dir="ltr">');
    for (const text of ["Ablehnen", "Verbunden bleiben", "nach 180 Tagen", "Nicht geprüft."]) {
      expect(german.html).toContain(text);
    }
    expect((await asked(app, { ui_locales: "en" }, inGerman)).html).toContain('<html lang="en" dir="ltr">');
    expect(visited.some((url) => !url.startsWith(ORIGIN) && url.includes("ui_locales=en"))).toBe(true);
    expect((await asked(app, { ui_locales: "de fr" })).html).toContain("Ablehnen");
    const nothing = german.html.replaceAll(/<input[^>]*name="scope"[^>]*>/g, "");
    const refused = await inGerman.press({ ...german, html: nothing }, ALLOW);
    expect("html" in refused && refused.html).toContain("Sie haben nichts ausgewählt.");
    const developers = await inGerman.visit(app.authorizeUrl(CHALLENGE, { redirect_uri: "https://other.example/cb" }));
    expect("html" in developers && developers.html).toContain(
      '<p lang="en" dir="ltr">The redirect_uri is not one that this client registered.</p>',
    );
  });

  it("grants nothing before the person answers", async () => {
    const before = await countGrants();
    await asked(app);
    expect(await countGrants()).toBe(before);
  });

  it("shows which app asks, as whom the person is signed in, and where the answer goes", async () => {
    const web = await AppClient.registered({ redirect_uris: ["https://notes.example/cb"], client_name: "Notes" });
    const { html } = await asked(web);
    for (const text of ["Notes", "Acme Works", "Ben Okafor", "ben@acme.example", "notes.example"]) {
      expect(html).toContain(text);
    }
    expect((await asked(app)).html).toContain("Notebook &lt;b&gt;Pro&lt;/b&gt;");
  });

  it("links the app's policies with their hosts, but only https URLs without credentials", async () => {
    const policies = { policy_uri: "https://notes.example/privacy", tos_uri: "https://legal.example/terms?a=1&b=2" };
    const { html } = await asked(await AppClient.registered(policies));
    expect(html).toContain('<a href="https://notes.example/privacy" target="_blank" rel="noreferrer noopener">');
    expect(html).toContain("Privacy policy (<bdi>notes.example</bdi>)");
    expect(html).toContain('href="https://legal.example/terms?a=1&amp;b=2"');
    for (const uri of ["javascript:alert(1)", "http://notes.example/", "https://a:b@notes.example/", "notes"]) {
      const other = await asked(await AppClient.registered({ policy_uri: uri, tos_uri: uri }));
      expect(other.html).not.toContain("according to the app");
    }
  });

  it("recognises a host by its redirect URIs, never by its name", async () => {
    const known = "Recognised as Claude.";
    const claude = "https://claude.ai/api/mcp/auth_callback";
    const pageOf = async (...redirectUris: string[]) =>
      (await asked(await AppClient.registered({ client_name: "Claude", redirect_uris: redirectUris }))).html;
    expect(await pageOf(claude)).toContain(known);
    for (const others of [
      ["https://bad.example/cb"],
      [claude, "https://bad.example/cb"],
      ["http://127.0.0.1/callback"],
    ]) {
      const html = await pageOf(...others);
      expect(html).not.toContain("Recognised as");
      expect(html).toContain("Not verified.");
    }
  });

  it("recognises no host if the answer goes to the person's own machine", async () => {
    const loopback = "http://127.0.0.1:33418/";
    const editor = await AppClient.registered({ redirect_uris: [loopback, "https://vscode.dev/redirect"] });
    expect((await asked(editor)).html).not.toContain("Recognised as");
  });

  it("marks what is new when an app asks for more, and a denial ends nothing (step-up)", async () => {
    const notes = await AppClient.registered({ client_name: "Notes" });
    const first = await notes.tokens("ben", { scope: "SEARCH offline_access" });
    expect((await asked(notes, { scope: "SEARCH" })).html).not.toContain("(new)");
    const browser = notes.browser();
    const page = await asked(notes, { scope: "SEARCH CHAT offline_access" }, browser);
    expect(page.html).toContain("If you deny, it keeps its current access");
    expect(page.html).toMatch(/Chat for you<span class="quiet"> \(new\)/);
    expect(page.html.match(/\(new\)/g)).toHaveLength(1);
    const denied = await browser.press(page, DENY);
    expect("leftFor" in denied && new URL(denied.leftFor).searchParams.get("error")).toBe("access_denied");
    expect((await search(first.access_token)).status).toBe(200);
    const second = await expectTokens(await notes.refresh(first.refresh_token));
    const wider = await notes.tokens("ben", { scope: "SEARCH CHAT offline_access" });
    expect(wider.scope).toBe("SEARCH CHAT offline_access");
    expect((await search(second.access_token)).status).toBe(200);
  });

  it("explains each requested scope in words, and no other", async () => {
    const words = { SEARCH: "Search for you", CHAT: "Chat for you", offline_access: "Stay connected" };
    for (const scope of ["SEARCH", "chat", "SEARCH CHAT offline_access", "CHAT openid"]) {
      const { html } = await asked(app, { scope });
      for (const [name, title] of Object.entries(words)) {
        expect(html.includes(title)).toBe(scope.toLowerCase().includes(name.toLowerCase()));
      }
    }
  });

  it("marks clients that registered themselves as not verified, and an administrator's as approved", async () => {
    expect((await asked(app)).html).toContain("Not verified");
    const approved = await AppClient.madeByAdministrator(instance);
    const { html } = await asked(approved);
    expect(html).toContain("Approved by");
    expect(html).not.toContain("Not verified");
  });

  it("says that administrators approved an app, and no longer once the approval is void", async () => {
    const own = await AppClient.registered({ client_name: "Own" });
    expect(await approveClient(instance, own.clientId)).toBe("approved");
    const { html } = await asked(own);
    expect(html).toContain("’s administrators.");
    expect(html).not.toContain("Not verified");
    await env.DB.prepare("UPDATE clients SET kept_at = NULL, variant = 'another' WHERE id = ?1")
      .bind(own.clientId)
      .run();
    expect((await asked(own)).html).toContain("Not verified");
  });

  it("warns if the answer goes to a program on the person's own device", async () => {
    const warning = "on this device";
    expect((await asked(app)).html).toContain(warning);
    const web = await AppClient.registered({ redirect_uris: ["https://notes.example/cb"] });
    expect((await asked(web)).html).not.toContain(warning);
  });

  it("can't be framed, scripted or cached, and sends no referrer", async () => {
    let headers = new Headers();
    const browser = app.browser(async (url, init) => {
      const response = await sendAnywhere(url, init);
      ({ headers } = response);
      return response;
    });
    await asked(app, {}, browser);
    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|script-src/);
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  it("sends a denial to the app, with state and iss, once", async () => {
    const browser = app.browser();
    const page = await asked(app, { state: "s 1" }, browser);
    const before = await countGrants();
    const answer = await browser.press(page, DENY);
    if (!("leftFor" in answer)) throw new Error(answer.html);
    const { searchParams } = new URL(answer.leftFor);
    expect(Object.fromEntries(searchParams)).toMatchObject({ error: "access_denied", state: "s 1", iss: ORIGIN });
    expect(searchParams.has("code")).toBe(false);
    expectRefused(await browser.press(page, ALLOW));
    expect(await countGrants()).toBe(before);
  });

  it("accepts one answer: of many at the same time, one gives a code", async () => {
    const browser = app.browser();
    const page = await asked(app, {}, browser);
    const before = await countGrants();
    const answers = await Promise.all(Array.from({ length: 10 }, () => browser.press(page, ALLOW)));
    expect(answers.filter((answer) => codeIn(answer) !== null)).toHaveLength(1);
    expect(await countGrants()).toBe(before + 1);
    expectRefused(await browser.press(page, ALLOW));
    expectRefused(await browser.visit(page.url));
  });

  it.each([
    ["wrong", (html: string) => html.replace(/(name="csrf_token" value=")./, "$1_")],
    ["empty", (html: string) => html.replace(/(name="csrf_token" value=")[^"]*/, "$1")],
    ["absent", (html: string) => html.replace(/<input[^>]*name="csrf_token"[^>]*>/, "")],
  ])("refuses an answer whose CSRF token is %s, and then still accepts the right one", async (_, tamper) => {
    const browser = app.browser();
    const page = await asked(app, {}, browser);
    for (const button of [ALLOW, DENY]) {
      expectRefused(await browser.press({ ...page, html: tamper(page.html) }, button));
    }
    expect(codeIn(await browser.press(page, ALLOW))).not.toBeNull();
  });

  it("tells people whose browser has lost the request's cookie to start again", async () => {
    const page = await asked(app, {}, app.browser());
    const refused = await app.browser().press(page, ALLOW);
    expectRefused(refused);
    expect(refused).toHaveProperty("html", expect.stringContaining("start again in the app"));
  });

  it.each(["maybe", "Allow", ""])("refuses the decision %j", async (value) => {
    const browser = app.browser();
    const page = await asked(app, {}, browser);
    const html = page.html.replace('value="allow"', `value="${value}"`);
    expectRefused(await browser.press({ ...page, html }, { name: "decision", value }));
  });

  it.each([{ Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }, { "Sec-Fetch-Site": "same-site" }])(
    "refuses an answer with %j, even if everything else is right",
    async (foreign) => {
      let more = {};
      const browser = app.browser((url, init) => {
        const headers = new Headers(init.headers);
        for (const [name, value] of Object.entries<string>(more)) headers.set(name, value);
        return sendAnywhere(url, { ...init, headers });
      });
      const page = await asked(app, {}, browser);
      more = foreign;
      expectRefused(await browser.press(page, ALLOW));
      more = { Origin: ORIGIN };
      expect(codeIn(await browser.press(page, ALLOW))).not.toBeNull();
    },
  );

  it("shows and accepts nothing in another browser", async () => {
    const page = await asked(app);
    const another = app.browser();
    expectRefused(await another.visit(page.url));
    expectRefused(await another.press(page, ALLOW));
    await asked(app, {}, another);
    expectRefused(await another.visit(page.url));
    expectRefused(await another.press(page, ALLOW));
  });

  it("works in two tabs, each with its own answer", async () => {
    const browser = app.browser();
    const first = await asked(app, { state: "first" }, browser);
    const second = await asked(app, { state: "second" }, browser);
    const tokenOf = (page: Page) => /name="csrf_token" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
    const crossed = { ...first, html: first.html.replace(tokenOf(first), tokenOf(second)) };
    expectRefused(await browser.press(crossed, ALLOW));
    for (const [page, state] of [
      [second, "second"],
      [first, "first"],
    ] as const) {
      const answer = await browser.press(page, ALLOW);
      expect(codeIn(answer)).not.toBeNull();
      expect("leftFor" in answer && new URL(answer.leftFor).searchParams.get("state")).toBe(state);
    }
  });

  it("expires after 15 minutes", async () => {
    const browser = app.browser();
    const page = await asked(app, {}, browser);
    travel(15 * 60 + 1);
    expectRefused(await browser.visit(page.url));
    expectRefused(await browser.press(page, ALLOW));
  });

  it("is refused if the client was disabled or the person deactivated meanwhile", async () => {
    const client = await AppClient.registered();
    const ofClient = client.browser();
    const page = await asked(client, {}, ofClient);
    await disableClient(instance, client.clientId);
    expectRefused(await ofClient.press(page, ALLOW));

    const ofPerson = app.browser();
    const theirs = await asked(app, {}, ofPerson);
    await setDeactivated(instance, "ben@acme.example");
    expectRefused(await ofPerson.press(theirs, ALLOW));
    await setDeactivated(instance, "ben@acme.example", false);
  });
});
