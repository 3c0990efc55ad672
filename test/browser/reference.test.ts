import { type LoopbackApp, startLoopbackApp } from "../support/node/loopback-app.ts";
import {
  authorizeUrl,
  keepScreenshot,
  openBrowser,
  PHONE,
  registerApp,
  sidewaysScroll,
  signIn,
  VERIFIER,
} from "../support/node/browser-person.ts";
import { BROWSER_ORIGIN } from "../support/node/gatehouse.ts";
import { expectUsable } from "../support/node/looks.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const REFERENCE = `${BROWSER_ORIGIN}/reference`;

/** What runs in the page, where this test has no types of a browser. */
interface Browser {
  getComputedStyle(element: unknown): { readonly color: string; readonly backgroundColor: string };
}

let app: LoopbackApp;

beforeAll(async () => {
  app = await startLoopbackApp();
});

afterAll(() => app?.close());

/** Returns an access token of Ben's, which his app gets in his browser. */
async function accessToken(): Promise<string> {
  await using person = await openBrowser();
  const { page } = person;
  const clientId = await registerApp("Notebook", app.redirectUri);
  await signIn(page, authorizeUrl(clientId, app.redirectUri));
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(`${app.redirectUri}?**`);
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: app.redirectUri,
    code: app.answers.at(-1)?.searchParams.get("code") ?? "",
    code_verifier: VERIFIER,
  });
  const url = JSON.stringify(`${BROWSER_ORIGIN}/oauth/token`);
  const body = JSON.stringify(form.toString());
  const tokens: { access_token: string } = await page.evaluate(
    `fetch(${url}, { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: ${body} })
      .then((response) => response.json())`,
  );
  return tokens.access_token;
}

describe("the API reference", () => {
  it("makes a call with a pasted token, sends requests to no other host, and stores nothing", async () => {
    const token = await accessToken();
    await using person = await openBrowser();
    const { page } = person;
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    const policy = (await page.goto(REFERENCE))?.headers()["content-security-policy"] ?? "";
    for (const directive of [
      "default-src 'none'; script-src 'self';",
      "connect-src 'self';",
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(directive);
    }
    await page.getByRole("link", { name: "Acme", exact: true }).waitFor();
    await page.getByRole("link", { name: "Authentication" }).click();
    await page.getByLabel(/access token/).fill(token);
    await page.getByRole("button", { name: "Use this token" }).click();
    await page.getByText("Calls from this page now use your token.").waitFor();
    await page.getByText("Search as the signed-in user").first().click();
    await page.getByRole("textbox").last().fill('{ "query": "runbook" }');
    await page.getByRole("button", { name: "Python" }).first().click();
    await page.getByText("import os, requests").first().waitFor();
    const execute = page.getByRole("button", { name: "Execute" });
    await execute.hover();
    const [label, ground] = await execute.evaluate((button) => {
      const style = (globalThis as unknown as Browser).getComputedStyle(button);
      return [style.color, style.backgroundColor];
    });
    expect(label).not.toBe(ground);
    const answer = page.waitForResponse(`${BROWSER_ORIGIN}/rest/api/v1/search`);
    await execute.click();
    expect((await answer).status()).toBe(200);
    await page.getByText("Runbook of engineering").first().waitFor();
    await expectUsable(page, "reference-tried");

    expect(complaints).toEqual([]);
    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([BROWSER_ORIGIN]));
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")).toBe(
      '[{},{},""]',
    );
  });

  it("fits a phone, and is dark when the device is set to dark", async () => {
    await using person = await openBrowser({ ...PHONE, colorScheme: "dark" });
    const { page } = person;
    await page.goto(REFERENCE);
    await page.getByRole("button", { name: "Use this token" }).waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(14, 20, 27)");
    await keepScreenshot(page, "reference-phone-dark");
  });
});
