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
  it("shows the app, the scopes, the redirect host and who is signed in", async () => {
    await using person = await openBrowser();
    const { page } = person;
    await openConsent(page, request, "Ben Okafor");

    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("Notebook");
    expect(await page.getByRole("listitem").allTextContents()).toEqual([
      expect.stringContaining("Search for you"),
      expect.stringContaining("Chat for you"),
      expect.stringContaining("Stay connected"),
    ]);
    const text = await page.getByRole("main").innerText();
    expect(text).toContain("Not verified");
    expect(text).toContain(new URL(app.redirectUri).host);
    expect(text).toContain("on this device");
    expect(text).toContain("Ben Okafor");
    expect(text).toContain("ben@acme.example");
    expect(await page.title()).toContain("Notebook");
    await keepScreenshot(page, "consent-desktop");
  });

  it("sends the person back to the app with a code when they allow", async () => {
    await using person = await openBrowser();
    const { page } = person;
    await signIn(page, request);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${app.redirectUri}?**`);

    expect(await page.innerText("body")).toBe("Back in the app.");
    expect([...lastAnswer().keys()].sort()).toEqual(["code", "iss", "state"]);
    expect(lastAnswer().get("state")).toBe("state-of-the-app");
    expect(lastAnswer().get("iss")).toBe(BROWSER_ORIGIN);
  });

  it("gives a browser-based app a code, which it exchanges and then searches across origins (CORS)", async () => {
    await using person = await openBrowser();
    const { page } = person;
    await openConsent(page, request, "Farid Haddad");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${app.redirectUri}?**`);

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

  it("grants only the scopes that are still ticked", async () => {
    await using person = await openBrowser();
    const { page } = person;
    await openConsent(page, request);
    await page.getByRole("checkbox", { name: "Chat for you" }).uncheck();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${app.redirectUri}?**`);
    expect(await redeem(page)).toMatchObject({ scope: "SEARCH offline_access" });
  });

  it("sends the person back with access_denied when they deny", async () => {
    await using person = await openBrowser();
    const { page } = person;
    await openConsent(page, request, "Carla Reyes");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL(`${app.redirectUri}?**`);

    expect(lastAnswer().get("error")).toBe("access_denied");
    expect(lastAnswer().get("state")).toBe("state-of-the-app");
    expect(lastAnswer().get("iss")).toBe(BROWSER_ORIGIN);
    expect(lastAnswer().has("code")).toBe(false);
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
    for (const [url, screenshot] of [
      [request, "consent-phone"],
      [longRequest, "consent-phone-long-names"],
    ] as const) {
      await using person = await openBrowser(PHONE);
      await openConsent(person.page, url);
      expect(await sidewaysScroll(person.page)).toBe(0);
      for (const button of await person.page.getByRole("button").all()) {
        // A button is easy to touch from 44 pixels on.
        expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      }
      await keepScreenshot(person.page, screenshot);
    }
  });

  it("is dark when the person's device is set to dark", async () => {
    const background = "getComputedStyle(document.body).backgroundColor";
    await using light = await openBrowser();
    await openConsent(light.page, request);
    await using dark = await openBrowser({ ...DESKTOP, colorScheme: "dark" });
    await openConsent(dark.page, request);
    expect(await dark.page.evaluate(background)).not.toBe(await light.page.evaluate(background));
    await keepScreenshot(dark.page, "consent-dark");
  });

  it("is in German when the person’s browser is set to German", async () => {
    await using person = await openBrowser({ ...PHONE, locale: "de-DE" });
    const { page } = person;
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
  });

  it("cannot be opened again after it was answered, so an app gets no second code", async () => {
    await using person = await openBrowser();
    const { page } = person;
    await openConsent(page, request);
    const consentUrl = page.url();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${app.redirectUri}?**`);
    const answersBefore = app.answers.length;
    const again = await page.goto(consentUrl);
    expect(again?.status()).toBe(400);
    expect(await page.getByRole("button").count()).toBe(0);
    expect(app.answers.length).toBe(answersBefore);
  });

  it("works only in the browser that started the request: another browser gets an error", async () => {
    await using person = await openBrowser();
    await openConsent(person.page, request);
    await using stranger = await openBrowser();
    const response = await stranger.page.goto(person.page.url());
    expect(response?.status()).toBe(400);
    expect(await stranger.page.getByRole("main").innerText()).not.toContain("ben@acme.example");
  });

  it("lets a person answer two requests in two tabs", async () => {
    await using person = await openBrowser();
    const { context, page: first } = person;
    await signIn(first, request, "Ben Okafor");
    const second = await context.newPage();
    await signIn(second, request, "Carla Reyes");
    expect(await first.getByRole("main").innerText()).toContain("ben@acme.example");
    for (const page of [first, second]) {
      await page.getByRole("button", { name: "Allow" }).click();
      await page.waitForURL(`${app.redirectUri}?**`);
      expect(lastAnswer().has("code")).toBe(true);
    }
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

describe("an error page", () => {
  it("is shown for an unknown client, and does not redirect", async () => {
    await using person = await openBrowser();
    const { page } = person;
    const answersBefore = app.answers.length;
    const response = await page.goto(authorizeUrl("nobody-knows-this-client", app.redirectUri));
    expect(response?.status()).toBe(400);
    expect(new URL(page.url()).origin).toBe(BROWSER_ORIGIN);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    expect(await page.getByRole("main").innerText()).toContain(response?.headers()["x-request-id"]);
    expect(app.answers.length).toBe(answersBefore);
    await keepScreenshot(page, "error-desktop");
  });
});
