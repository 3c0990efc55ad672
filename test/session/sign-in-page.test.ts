import { beforeAll, describe, expect, inject, it } from "vitest";
import { ConsoleBrowser, fieldOf } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { makeInstance, ORIGIN, send } from "../support/world.ts";

function signInsUnderWay() {
  return env.DB.prepare("SELECT count(*) AS n FROM session_sign_ins").first("n");
}

/** Returns the sign-in page's form, as this browser gets it. */
async function shownForm(browser: ConsoleBrowser, to = "/account") {
  const html = await browser.read(`/sign-in?to=${encodeURIComponent(to)}`);
  return { csrf_token: fieldOf(html, "csrf_token") ?? "", to: fieldOf(html, "to") ?? "" };
}

describe("a sign-in to the instance's own pages (ASVS 5.0 §7.6.2, login CSRF)", () => {
  beforeAll(async () => {
    await makeInstance();
  });

  it("doesn't begin with a link from another site: every page leads to a question, and nothing is stored", async () => {
    for (const path of ["/account", "/admin", "/admin/clients/new", "/sign-in", "/sign-in?to=/admin"]) {
      const browser = new ConsoleBrowser(ORIGIN);
      let response = await browser.get(path, { "Sec-Fetch-Site": "cross-site" });
      for (let hops = 0; response.status === 303 && hops < 5; hops += 1) {
        response = await browser.get(response.headers.get("Location") ?? "");
      }
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      const html = await response.text();
      expect(html).toContain('action="/sign-in"');
      expect(html).not.toContain(inject("sso").issuer);
      expect(browser.session).toBeUndefined();
    }
    expect(await signInsUnderWay()).toBe(0);
  });

  it("leads to the SSO, and keeps the page to return to", async () => {
    const browser = new ConsoleBrowser(ORIGIN);
    const asked = await browser.get("/admin/audit?before=7");
    const page = await browser.read(asked.headers.get("Location") ?? "");
    expect(fieldOf(page, "to")).toBe("/admin/audit?before=7");
    const begun = await browser.beginSignIn("/admin/audit?before=7");
    expect(new URL(begun.headers.get("Location") ?? "").origin).toBe(inject("sso").issuer);
  });

  it.each([{ Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }, { "Sec-Fetch-Site": "same-site" }])(
    "doesn't begin with a form that another site sends: %j",
    async (headers) => {
      const before = await signInsUnderWay();
      const browser = new ConsoleBrowser(ORIGIN);
      await expectPage(await browser.postRaw("/sign-in", await shownForm(browser), headers), 400);
      expect(await signInsUnderWay()).toBe(before);
    },
  );

  it("doesn't begin with a form of a hidden origin that lacks this browser's token", async () => {
    const before = await signInsUnderWay();
    const attacker = await shownForm(new ConsoleBrowser(ORIGIN));
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Origin: "null" };
    const victim = new ConsoleBrowser(ORIGIN);
    await shownForm(victim);
    for (const cookie of [[...victim.cookies].map((pair) => pair.join("=")).join("; "), ""]) {
      for (const token of [attacker.csrf_token, "", "x"]) {
        const body = new URLSearchParams({ to: "/admin", csrf_token: token }).toString();
        const response = await send(`${ORIGIN}/sign-in`, {
          method: "POST",
          headers: { ...headers, Cookie: cookie },
          body,
        });
        expect(response.status).toBe(303);
        expect(response.headers.get("Location")).toBe("/sign-in?to=%2Fadmin");
      }
    }
    expect(await signInsUnderWay()).toBe(before);
  });
});
