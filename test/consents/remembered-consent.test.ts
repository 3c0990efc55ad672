import type { RememberedScopes } from "#consents/remembered-consents.ts";
import { hashToken, sha256 } from "#crypto/hash.ts";
import { randomId, randomSecret } from "#crypto/random.ts";
import { D1TokenGrants } from "#grants/token-grants.d1.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import type { LeftFor, Page } from "../../scripts/local/scripted-browser.ts";
import { AppClient, type Changes, CHALLENGE, VERIFIER } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { expectTokens } from "../support/oauth-answers.ts";
import { knownPerson } from "../support/people.ts";
import { disableClient, makeInstance, send, sendAnywhere } from "../support/world.ts";

const REDIRECT = "https://app.example/cb";
const OTHER_REDIRECT = "https://app.example/other";

const ALLOW = { name: "decision", value: "allow" };

describe("remembered consent (RFC 9700 §4.16, RFC 8252 §8.6)", () => {
  let instance: InstanceRecord;

  beforeAll(async () => {
    instance = await makeInstance();
  });

  function makeApp(redirectUris: readonly string[] = [REDIRECT, OTHER_REDIRECT]): Promise<AppClient> {
    return AppClient.madeByAdministrator(instance, { redirectUris });
  }

  /** Signs a person in for an app, coming from `site`; the consent page, or where they were sent without one. */
  async function come(
    app: AppClient,
    site: string | undefined,
    changes: Changes = {},
    sub = "ben",
  ): Promise<Page | LeftFor> {
    const browser = app.browser((url, init) => {
      const headers = new Headers(init.headers);
      if (site !== undefined && url.includes("/oauth/authorize")) headers.set("Sec-Fetch-Site", site);
      return sendAnywhere(url, { ...init, headers });
    });
    const picker = await browser.visit(app.authorizeUrl(CHALLENGE, changes));
    if ("leftFor" in picker) return picker;
    return browser.press(picker, { name: "sub", value: sub });
  }

  /** Comes to the consent page and allows what is left ticked. */
  async function allow(app: AppClient, changes: Changes = {}, sub = "ben", unticked: readonly string[] = []) {
    const browser = app.browser();
    const page = await app.toConsent(browser, sub, app.authorizeUrl(CHALLENGE, changes));
    return browser.press({ ...page, html: untick(page.html, unticked) }, ALLOW);
  }

  function untick(html: string, scopes: readonly string[]): string {
    return html.replace(/<input\b[^>]*type="checkbox"[^>]*>/g, (box) =>
      scopes.some((scope) => box.includes(`value="${scope}"`)) ? box.replace(/ checked(="[^"]*")?/, "") : box,
    );
  }

  function expectAsked(answer: Page | LeftFor): void {
    expect(answer).toMatchObject({ status: 200, html: expect.stringContaining('name="decision"') });
  }

  function codeIn(answer: Page | LeftFor): string {
    if (!("leftFor" in answer)) throw new Error(`asked again: ${answer.status}`);
    return new URL(answer.leftFor).searchParams.get("code") ?? "";
  }

  it("is used silently for a navigation from our own origin", async () => {
    const app = await makeApp();
    codeIn(await allow(app));
    const answer = await come(app, "same-origin", { state: "s 1" });
    const tokens = await expectTokens(await app.redeem({ code: codeIn(answer), verifier: VERIFIER }));
    expect(tokens.scope).toBe("SEARCH CHAT DOCUMENTS offline_access");
    expect("leftFor" in answer && new URL(answer.leftFor).searchParams.get("state")).toBe("s 1");
  });

  it("is not used for “Use another account”: our page has the link, but the app chose when the person sees it", async () => {
    const app = await makeApp();
    codeIn(await allow(app));
    const browser = app.browser((url, init) => {
      const headers = new Headers(init.headers);
      if (url.includes("select_account")) headers.set("Sec-Fetch-Site", "same-origin");
      return sendAnywhere(url, { ...init, headers });
    });
    const page = await app.toConsent(browser, "carla", app.authorizeUrl(CHALLENGE, { state: "s 1" }));
    const [, link = ""] = /<a href="([^"]*select_account[^"]*)">/.exec(page.html) ?? [];
    const picker = await browser.visit(link.replaceAll("&amp;", "&"));
    if ("leftFor" in picker) throw new Error(picker.leftFor);
    const asked = await browser.press(picker, { name: "sub", value: "ben" });
    expectAsked(asked);
    const answer = "leftFor" in asked ? asked : await browser.press(asked, ALLOW);
    const tokens = await expectTokens(await app.redeem({ code: codeIn(answer), verifier: VERIFIER }));
    expect(tokens.scope).toBe("SEARCH CHAT DOCUMENTS offline_access");
    expect("leftFor" in answer && new URL(answer.leftFor).searchParams.get("state")).toBe("s 1");
  });

  it.each(["cross-site", "same-site", "none", undefined, "", "None", "same-origin, none"])(
    "is not used when the browser says %j: any page, or a link in a mail, could fetch codes",
    async (site) => {
      const app = await makeApp();
      codeIn(await allow(app));
      expectAsked(await come(app, site));
    },
  );

  it("asks the first time", async () => {
    expectAsked(await come(await makeApp(), "same-origin"));
  });

  it.each(["consent", "login consent"])("asks for prompt=%s", async (prompt) => {
    const app = await makeApp();
    codeIn(await allow(app));
    expectAsked(await come(app, "same-origin", { prompt }));
  });

  it("asks for a wider scope than was allowed, and not for a narrower one", async () => {
    const app = await makeApp();
    codeIn(await allow(app, { scope: "SEARCH CHAT" }));
    expectAsked(await come(app, "same-origin", { scope: "SEARCH DOCUMENTS" }));
    expectAsked(await come(app, "same-origin", { scope: "SEARCH offline_access" }));
    const { scope } = await expectTokens(
      await app.redeem({ code: codeIn(await come(app, "same-origin", { scope: "chat" })), verifier: VERIFIER }),
    );
    expect(scope).toBe("chat");
  });

  it("asks for another redirect URI, another person and another app", async () => {
    const app = await makeApp();
    codeIn(await allow(app));
    const other = AppClient.of(app.clientId, OTHER_REDIRECT);
    expectAsked(await come(other, "same-origin"));
    expectAsked(await come(app, "same-origin", {}, "carla"));
    expectAsked(await come(await makeApp(), "same-origin"));
  });

  it.each([
    ["loopback", "http://127.0.0.1:33418/callback"],
    ["a private-use scheme", "com.example.app:/cb"],
  ])("asks whenever the answer goes to %s, where any program may wait", async (_, uri) => {
    const app = await makeApp([uri]);
    codeIn(await allow(app));
    expectAsked(await come(app, "same-origin"));
  });

  it("asks for clients that registered themselves, and remembers nothing of them", async () => {
    const app = await AppClient.registered({ redirect_uris: [REDIRECT] });
    codeIn(await allow(app));
    expectAsked(await come(app, "same-origin"));
    const rows = env.DB.prepare("SELECT COUNT(*) AS n FROM remembered_consents WHERE client_id = ?1").bind(
      app.clientId,
    );
    expect(await rows.first("n")).toBe(0);
  });

  it("neither grants nor remembers what was unticked", async () => {
    const app = await makeApp();
    const answer = await allow(app, { scope: "SEARCH CHAT" }, "ben", ["CHAT"]);
    const tokens = await expectTokens(await app.redeem({ code: codeIn(answer), verifier: VERIFIER }));
    expect(tokens.scope).toBe("SEARCH");
    expectAsked(await come(app, "same-origin", { scope: "SEARCH CHAT" }));
    codeIn(await come(app, "same-origin", { scope: "SEARCH" }));
  });

  it("forgets a scope that is unticked later", async () => {
    const app = await makeApp();
    codeIn(await allow(app));
    codeIn(await allow(app, {}, "ben", ["DOCUMENTS"]));
    expectAsked(await come(app, "same-origin"));
    codeIn(await come(app, "same-origin", { scope: "SEARCH CHAT" }));
  });

  it("takes no answer with nothing ticked, nor with what was not asked", async () => {
    const app = await makeApp();
    const nothing = await allow(app, { scope: "SEARCH CHAT" }, "ben", ["SEARCH", "CHAT"]);
    expect(nothing).toMatchObject({ status: 400 });
    const browser = app.browser();
    const page = await app.toConsent(browser, "ben", app.authorizeUrl(CHALLENGE, { scope: "SEARCH CHAT" }));
    const widened = page.html.replaceAll('value="CHAT"', 'value="DOCUMENTS"');
    const answer = await browser.press({ ...page, html: widened }, ALLOW);
    const tokens = await expectTokens(await app.redeem({ code: codeIn(answer), verifier: VERIFIER }));
    expect(tokens.scope).toBe("SEARCH");
  });

  it("is the first of two answers to one request: the other writes nothing", async () => {
    const app = await makeApp();
    const { handle, browser, verifier } = await new DirectGrants(instance).awaitConsent(app);
    const { id: personId } = await knownPerson(instance, "ben@acme.example");
    const key = {
      instanceId: instance.id,
      handleHash: await hashToken(handle),
      browserHash: await hashToken(browser),
    };
    const [grantId, now] = [randomId(), Math.floor(Date.now() / 1000)];
    const answer = async (createdAt: number, scopes: RememberedScopes) =>
      new D1TokenGrants(env.DB).add(
        key,
        {
          id: grantId,
          instanceId: instance.id,
          issuer: app.origin,
          clientId: app.clientId,
          personId,
          scope: "SEARCH",
          resource: app.origin,
          redirectUri: app.redirectUri,
          codeHash: await hashToken(randomSecret()),
          codeChallenge: await sha256(verifier),
          keyThumbprint: undefined,
          nonce: undefined,
          codeExpiresAt: now + 60,
          createdAt,
          expiresAt: now + 3600,
        },
        scopes,
      );
    expect(await answer(now, ["SEARCH"])).toBe("added");
    expect(await answer(now + 1, ["SEARCH", "CHAT"])).toBe("gone");
    const written = env.DB.prepare(
      `SELECT r.scopes, r.given_at, c.last_authorized_at FROM remembered_consents r JOIN clients c ON c.id = r.client_id
       WHERE r.client_id = ?1`,
    ).bind(app.clientId);
    expect(await written.first()).toEqual({ scopes: '["SEARCH"]', given_at: now, last_authorized_at: now });
  });

  it("remembers no Deny, and ends with the client", async () => {
    const app = await makeApp();
    const browser = app.browser();
    const page = await app.toConsent(browser, "ben", app.authorizeUrl(CHALLENGE));
    await browser.press(page, { name: "decision", value: "deny" });
    expectAsked(await come(app, "same-origin"));
    codeIn(await allow(app));
    await disableClient(instance, app.clientId);
    expect((await send(app.authorizeUrl(CHALLENGE), { headers: { "Sec-Fetch-Site": "same-origin" } })).status).toBe(
      400,
    );
  });
});
