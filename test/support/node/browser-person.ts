import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { BROWSER_ORIGIN } from "./gatehouse.ts";

/** The example of RFC 7636 appendix B. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** Where screenshots are kept for whoever wants to see what the tests saw; Git ignores it. */
const SCREENSHOTS = ".artifacts/screenshots";

/** A laptop, and a phone. */
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1024, height: 860 } };
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

/** Registers an app where browsers go; its client id. */
export async function registerApp(clientName: string, redirectUri: string): Promise<string> {
  const metadata = { client_name: clientName, redirect_uris: [redirectUri], token_endpoint_auth_method: "none" };
  // Node does not resolve acme.localhost; the client belongs to the instance, whatever its name was when it registered.
  const response = await fetch(`${BROWSER_ORIGIN.replace("acme.localhost", "localhost")}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(metadata),
  });
  if (response.status !== 201) throw new Error(`registration answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { client_id: string }).client_id;
}

/** An app's authorization request, as it opens it in the person's browser. */
export function authorizeUrl(clientId: string, redirectUri: string, scope = "SEARCH CHAT offline_access"): string {
  const parameters = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: "state-of-the-app",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  return `${BROWSER_ORIGIN}/oauth/authorize?${parameters.toString()}`;
}

/** A browser of its own for one person, closed at the end of the scope. */
export async function openBrowser(browser: Browser, options: BrowserContextOptions = DESKTOP) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  return { context, page, [Symbol.asyncDispose]: () => context.close() };
}

/** Takes a person from the app's request through the sign-in to the consent page. */
export async function signIn(page: Page, url: string, name = "Ben Okafor"): Promise<void> {
  await page.goto(url);
  await page.getByRole("button", { name }).click();
  await page.waitForURL(/\/oauth\/consent\?/);
}

/** Keeps what the page looks like, all of it. */
export function keepScreenshot(page: Page, name: string, folder = SCREENSHOTS): Promise<Buffer> {
  return page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** How far the page can be scrolled sideways; 0 is what a person wants. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
