import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { requestLocally } from "../../../scripts/local/local-request.ts";
import { browser } from "./browser.ts";
import { bringAxe } from "./findings.ts";
import { BROWSER_ORIGIN } from "./gatehouse.ts";

/** The example of RFC 7636 appendix B. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** The folder for screenshots. Without it none are taken, because drawing whole pages takes time. */
const SCREENSHOTS = process.env["SCREENSHOTS"];

/** A laptop, and a phone. */
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1024, height: 860 } };
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};

/** Registers an app at an instance, and returns its client id. */
export async function registerApp(
  clientName: string,
  redirectUri: string,
  origin: string = BROWSER_ORIGIN,
): Promise<string> {
  const metadata = { client_name: clientName, redirect_uris: [redirectUri], token_endpoint_auth_method: "none" };
  const { host, port } = new URL(origin);
  // Node does not resolve names below localhost, and its fetch always sends the address's own host.
  const { status, text } = await requestLocally(`http://localhost:${port}/oauth/register`, {
    method: "POST",
    headers: { Host: host, "Content-Type": "application/json" },
    body: JSON.stringify(metadata),
  });
  if (status !== 201) throw new Error(`registration answered ${status}: ${text}`);
  return (JSON.parse(text) as { client_id: string }).client_id;
}

/** Returns an app's authorization request, as the app opens it in the person's browser. */
export function authorizeUrl(clientId: string, redirectUri: string, origin: string = BROWSER_ORIGIN): string {
  const parameters = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "SEARCH CHAT offline_access",
    state: "state-of-the-app",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  return `${origin}/oauth/authorize?${parameters.toString()}`;
}

/**
 * Browsers that are not in use, by kind. Each new one starts a process, which costs more than most of what a test does with it.
 */
const idle = new Map<string, { readonly context: BrowserContext; readonly page: Page }[]>();

/** Playwright's default viewport. */
const USUAL_VIEWPORT = { width: 1280, height: 720 };

/**
 * Opens a browser for one person, until the end of the scope. It has no cookies and no permissions of anybody before, and the
 * requested size and colours.
 */
export async function openBrowser(options: BrowserContextOptions = DESKTOP) {
  // Size and colours of every browser can be changed later.
  const { viewport = USUAL_VIEWPORT, colorScheme = "light", ...fixed } = options;
  const kind = JSON.stringify(fixed);
  const kept = idle.get(kind) ?? [];
  idle.set(kind, kept);
  const { context, page } = kept.pop() ?? (await newBrowser({ ...fixed, viewport, colorScheme }));
  await Promise.all([page.setViewportSize(viewport ?? USUAL_VIEWPORT), page.emulateMedia({ colorScheme })]);
  const leave = async () => {
    const others = context.pages().filter((each) => each !== page);
    await Promise.all(others.map((each) => each.close()));
    await Promise.all([context.clearCookies(), context.clearPermissions()]);
    kept.push({ context, page });
  };
  return { context, page, [Symbol.asyncDispose]: leave };
}

async function newBrowser(options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  // Only phones can take every look, so pages are checked on phones.
  if (options.isMobile === true) await bringAxe(context);
  return { context, page: await context.newPage() };
}

/** Takes a person from the app's request through the sign-in to the consent page. */
export async function signIn(page: Page, url: string, name = "Ben Okafor"): Promise<void> {
  await page.goto(url);
  await page.getByRole("button", { name }).click();
  await page.waitForURL(/\/oauth\/consent\?/);
}

/** Saves a screenshot of the whole page if the tests run with `SCREENSHOTS=.artifacts/screenshots`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
}

/** Returns how far the page can be scrolled sideways. It should be 0. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
