import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  authorizeUrl,
  DESKTOP,
  keepScreenshot,
  openBrowser,
  PHONE,
  registerApp,
  sidewaysScroll,
  signIn,
  VERIFIER,
} from "../support/node/browser-person.ts";
import { openConsent } from "../support/node/consent-page.ts";
import { BROWSER_ORIGIN } from "../support/node/gatehouse.ts";
import { type LoopbackApp, startLoopbackApp } from "../support/node/loopback-app.ts";

let app: LoopbackApp;
let clientId: string;
let request: string;

beforeAll(async () => {
  app = await startLoopbackApp();
  clientId = await registerApp("Notebook", app.redirectUri);
  request = authorizeUrl(clientId, app.redirectUri);
});

afterAll(() => app?.close());

/** Returns the parameters of the last authorization response that reached the app. */
function lastAnswer(): URLSearchParams {
  const answer = app.answers.at(-1);
  if (!answer) throw new Error("no browser came back to the app");
  return answer.searchParams;
}

/** Calls `fetch` inside the page, under the browser's own rules such as CORS. */
function fetchInPage<Answer>(page: Page, url: string, init: RequestInit): Promise<Answer> {
  return page.evaluate(`fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then((response) => response.json())`);
}

/** Redeems the last code, from the app's own page. */
function redeem(page: Page): Promise<{ access_token: string }> {
  return fetchInPage(page, `${BROWSER_ORIGIN}/oauth/token`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: clientId,
      redirect_uri: app.redirectUri,
      code: lastAnswer().get("code") ?? "",
      code_verifier: VERIFIER,
    }).toString(),
  });
}

describe("the consent page", () => {
  it("gives a browser-based app a code, which it exchanges and then searches across origins (CORS)", async () => {
    await using person = await openBrowser();
    const { page } = person;
    await openConsent(page, request, "Farid Haddad");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${app.redirectUri}?**`);
    expect([...lastAnswer().keys()].sort()).toEqual(["code", "iss", "state"]);

    // From here on, the app's own page sends the requests, from its own origin.
    const tokens = await redeem(page);
    expect(tokens).toMatchObject({ token_type: "Bearer", scope: "SEARCH CHAT offline_access" });
    const found = await fetchInPage<{ results: { title: string }[] }>(page, `${BROWSER_ORIGIN}/rest/api/v1/search`, {
      method: "POST",
      headers: { Authorization: `Bearer ${tokens.access_token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query: "token" }),
    });
    expect(found.results.map(({ title }) => title).sort()).toEqual(["Handbook for everybody", "Letter to Farid alone"]);
  });

  it("works without JavaScript, from the sign-in to the code", async () => {
    await using person = await openBrowser({ ...DESKTOP, javaScriptEnabled: false });
    const { page } = person;
    await page.goto(request);
    await keepScreenshot(page, "sso-picker");
    await page.getByRole("button", { name: "Elin Sandberg" }).click();
    await page.waitForURL(/\/oauth\/consent\?/);
    expect(await page.getByRole("main").innerText()).toContain("elin@acme.example");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${app.redirectUri}?**`);
    expect(lastAnswer().has("code")).toBe(true);
  });

  it("can be answered with the keyboard alone", async () => {
    await using person = await openBrowser();
    const { page } = person;
    await openConsent(page, request);
    const isFocused = (role: "button" | "checkbox" | "link", name: string) =>
      page.getByRole(role, { name }).and(page.locator(":focus")).count();
    await page.keyboard.press("Tab");
    expect(await isFocused("link", "Use another account")).toBe(1);
    for (const name of ["Search for you", "Chat for you", "Stay connected"]) {
      await page.keyboard.press("Tab");
      expect(await isFocused("checkbox", name)).toBe(1);
    }
    await page.keyboard.press("Tab");
    expect(await isFocused("button", "Deny")).toBe(1);
    await page.keyboard.press("Tab");
    expect(await isFocused("button", "Allow")).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${app.redirectUri}?**`);
    expect(lastAnswer().has("code")).toBe(true);
  });

  it("fits a phone, even with a long app name and a long redirect host", async () => {
    const redirectUri =
      "https://a-name-that-goes-on-and-on-and-on-and-on.assistant-platform.example.com/oauth/callback";
    const name = "AnAssistantWithANameThatNobodyWouldEverCallShortOrBreakable";
    const longRequest = authorizeUrl(await registerApp(name, redirectUri), redirectUri);
    await using person = await openBrowser(PHONE);
    await openConsent(person.page, longRequest);
    expect(await sidewaysScroll(person.page)).toBe(0);
    for (const button of await person.page.getByRole("button").all()) {
      // A button is easy to touch from 44 pixels on.
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
    await keepScreenshot(person.page, "consent-phone-long-names");
  });

  it("is in German when the person’s browser is set to German", async () => {
    await using person = await openBrowser(PHONE);
    const { page } = person;
    await page.setExtraHTTPHeaders({ "Accept-Language": "de-DE" });
    await signIn(page, request);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
      "Darf Notebook Ihre Unternehmenssuche nutzen?",
    );
    expect(await sidewaysScroll(page)).toBe(0);
    await keepScreenshot(page, "consent-german");
    await page.getByRole("link", { name: "Anderes Konto verwenden" }).click();
    await page.getByRole("button", { name: "Carla Reyes" }).click();
    await page.waitForURL(/\/oauth\/consent\?/);
    expect(await page.getByRole("main").innerText()).toContain("carla@acme.example");
    await page.getByRole("button", { name: "Erlauben" }).click();
    await page.waitForURL(`${app.redirectUri}?**`);
    expect(lastAnswer().has("code")).toBe(true);
    await page.setExtraHTTPHeaders({});
  });

  it("cannot be framed by another site", async () => {
    await using person = await openBrowser();
    const { page } = person;
    await openConsent(page, request);
    const consentUrl = page.url();
    await page.goto(app.redirectUri.replace("/callback", "/frame"));
    const refused = page.waitForEvent("requestfailed");
    await page.setContent(`<iframe src="${consentUrl}"></iframe>`);
    expect((await refused).url()).toBe(consentUrl);
    const [, frame] = page.frames();
    // Not even the error page for a browser without our cookie may show.
    expect(await frame?.getByRole("main").count()).toBe(0);
  });
});
