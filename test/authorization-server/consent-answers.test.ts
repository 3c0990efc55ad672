import { hashToken, randomId, randomSecret, sha256 } from "#crypto/secrets.ts";
import { D1TokenGrants } from "#grants/token-grants.d1.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import type { LeftFor, Page } from "../../scripts/local/scripted-browser.ts";
import { AppClient, CHALLENGE, type Changes, VERIFIER } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { expectTokens } from "../support/oauth-answers.ts";
import { knownPerson } from "../support/people.ts";
import { makeInstance, sendAnywhere } from "../support/world.ts";
import { audited } from "../support/audited.ts";

const REDIRECT = "https://app.example/cb";

const ALLOW = { name: "decision", value: "allow" };

describe("answers to the consent page (OAuth 2.1 §7.3, RFC 9700 §4.16, RFC 8252 §8.6)", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance();
    app = await AppClient.madeByAdministrator(instance, { redirectUris: [REDIRECT] });
  });

  /** Signs a person in for the app, coming from `site`, and returns where that leads. */
  async function come(site: string | undefined, changes: Changes = {}): Promise<Page | LeftFor> {
    const browser = app.browser((url, init) => {
      const headers = new Headers(init.headers);
      if (site !== undefined && url.includes("/oauth/authorize")) headers.set("Sec-Fetch-Site", site);
      return sendAnywhere(url, { ...init, headers });
    });
    const picker = await browser.visit(app.authorizeUrl(CHALLENGE, changes));
    return "leftFor" in picker ? picker : browser.press(picker, { name: "sub", value: "ben" });
  }

  /** Opens the consent page and allows everything except `unticked`. */
  async function allow(changes: Changes = {}, unticked: readonly string[] = []): Promise<Page | LeftFor> {
    const browser = app.browser();
    const page = await app.toConsent(browser, "ben", app.authorizeUrl(CHALLENGE, changes));
    const html = page.html.replace(/<input\b[^>]*type="checkbox"[^>]*>/g, (box) =>
      unticked.some((scope) => box.includes(`value="${scope}"`)) ? box.replace(/ checked(="[^"]*")?/, "") : box,
    );
    return browser.press({ ...page, html }, ALLOW);
  }

  function codeIn(answer: Page | LeftFor): string {
    if (!("leftFor" in answer)) throw new Error(`asked again: ${answer.status}`);
    return new URL(answer.leftFor).searchParams.get("code") ?? "";
  }

  it.each(["same-origin", "same-site", "none", undefined])(
    "are not remembered, even for an administrator's app and a navigation that is %s: the person is asked again",
    async (site) => {
      codeIn(await allow());
      for (const prompt of [undefined, "login", "consent"]) {
        expect(await come(site, { prompt })).toMatchObject({
          status: 200,
          html: expect.stringContaining('name="decision"'),
        });
      }
    },
  );

  it("complete the app's request after the person switches to another account", async () => {
    const browser = app.browser();
    const page = await app.toConsent(browser, "carla", app.authorizeUrl(CHALLENGE, { state: "s 1" }));
    const [, link = ""] = /<a href="([^"]*select_account[^"]*)">/.exec(page.html) ?? [];
    const picker = await browser.visit(link.replaceAll("&amp;", "&"));
    if ("leftFor" in picker) throw new Error(picker.leftFor);
    const asked = await browser.press(picker, { name: "sub", value: "ben" });
    const answer = "leftFor" in asked ? asked : await browser.press(asked, ALLOW);
    const tokens = await expectTokens(await app.redeem({ code: codeIn(answer), verifier: VERIFIER }));
    expect(tokens.scope).toBe("SEARCH CHAT DOCUMENTS offline_access");
    expect("leftFor" in answer && new URL(answer.leftFor).searchParams.get("state")).toBe("s 1");
  });

  it("grant nothing that was unticked", async () => {
    const answer = await allow({ scope: "SEARCH CHAT" }, ["CHAT"]);
    const tokens = await expectTokens(await app.redeem({ code: codeIn(answer), verifier: VERIFIER }));
    expect(tokens.scope).toBe("SEARCH");
  });

  it("are refused with nothing ticked, and grant nothing that was not asked for", async () => {
    expect(await allow({ scope: "SEARCH CHAT" }, ["SEARCH", "CHAT"])).toMatchObject({ status: 400 });
    const browser = app.browser();
    const page = await app.toConsent(browser, "ben", app.authorizeUrl(CHALLENGE, { scope: "SEARCH CHAT" }));
    const widened = page.html.replaceAll('value="CHAT"', 'value="DOCUMENTS"');
    const answer = await browser.press({ ...page, html: widened }, ALLOW);
    const tokens = await expectTokens(await app.redeem({ code: codeIn(answer), verifier: VERIFIER }));
    expect(tokens.scope).toBe("SEARCH");
  });

  it("count once: the second of two answers to a request writes nothing", async () => {
    const other = await AppClient.madeByAdministrator(instance, { redirectUris: [REDIRECT] });
    const { handle, browser, verifier } = await new DirectGrants(instance).awaitConsent(other);
    const { id: personId } = await knownPerson(instance, "ben@acme.example");
    const key = {
      instanceId: instance.id,
      handleHash: await hashToken(handle),
      browserHash: await hashToken(browser),
    };
    const [grantId, now] = [randomId(), Math.floor(Date.now() / 1000)];
    const answer = async (createdAt: number, scope: string) =>
      new D1TokenGrants(audited()).add(key, {
        id: grantId,
        instanceId: instance.id,
        issuer: other.origin,
        clientId: other.clientId,
        personId,
        scope,
        resource: other.origin,
        redirectUri: other.redirectUri,
        codeHash: await hashToken(randomSecret()),
        codeChallenge: await sha256(verifier),
        keyThumbprint: undefined,
        nonce: undefined,
        codeExpiresAt: now + 60,
        createdAt,
        expiresAt: now + 3600,
      });
    expect(await answer(now, "SEARCH")).toBe("added");
    expect(await answer(now + 1, "SEARCH CHAT")).toBe("gone");
    const written = env.DB.prepare(
      "SELECT g.scope, c.last_authorized_at FROM grants g JOIN clients c ON c.id = g.client_id WHERE g.client_id = ?1",
    ).bind(other.clientId);
    expect((await written.all()).results).toEqual([{ scope: "SEARCH", last_authorized_at: now }]);
  });
});
