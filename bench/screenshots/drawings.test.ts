import { setTimeout } from "node:timers/promises";
import type { BrowserContextOptions, Page } from "playwright-core";
import { it } from "vitest";
import { openConsole, signInAt } from "../../test/support/node/browser-administrator.ts";
import {
  authorizeUrl,
  openBrowser,
  PHONE,
  registerApp,
  signIn,
  VERIFIER,
} from "../../test/support/node/browser-person.ts";
import { answerConsent, BROWSER_ORIGIN, ORIGIN, REDIRECT_URI } from "../../test/support/node/gatehouse.ts";
import { publishIssuer, signToken } from "../../test/support/node/issuer-token.ts";

const FOLDER = "docs/images";

/** Wide enough for the console's navigation, small enough for a page of a guide. */
const WIDE: BrowserContextOptions = { viewport: { width: 1100, height: 800 } };
const NARROW: BrowserContextOptions = { viewport: { width: 760, height: 800 } };

const AUDIENCE = "api://gatehouse";

/** @param height of a page whose beginning is enough */
async function draw(page: Page, name: string, height?: number): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  const clip = height === undefined ? {} : { clip: { x: 0, y: 0, width, height } };
  await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true, ...clip });
}

/** Connects an app for some people, including their tokens. */
async function connect(app: string, ...subs: readonly string[]): Promise<void> {
  const clientId = await registerApp(app, REDIRECT_URI, ORIGIN);
  for (const sub of subs) await connectFor(clientId, sub);
}

async function connectFor(clientId: string, sub: string): Promise<void> {
  const answer = await answerConsent(authorizeUrl(clientId, REDIRECT_URI, ORIGIN), sub);
  const code = answer.searchParams.get("code") ?? "";
  const fields = { grant_type: "authorization_code", code, client_id: clientId, redirect_uri: REDIRECT_URI };
  const body = new URLSearchParams({ ...fields, code_verifier: VERIFIER });
  const { status } = await fetch(`${ORIGIN}/oauth/token`, { method: "POST", body });
  if (status !== 200) throw new Error(`the token endpoint answered ${status}`);
}

it("draws the consent page, on a desktop and on a phone", async () => {
  const url = authorizeUrl(await registerApp("Notebook", REDIRECT_URI), REDIRECT_URI);
  for (const [name, look] of [
    ["consent", NARROW],
    ["consent-phone", { ...PHONE, colorScheme: "dark" }],
  ] as const) {
    await using ben = await openBrowser(look);
    await signIn(ben.page, url);
    await draw(ben.page, name);
  }
});

it("draws a person's search and their connected apps", async () => {
  for (const app of ["Notebook", "Meeting assistant"]) await connect(app, "elin");
  await using elin = await openBrowser({ ...NARROW, viewport: { width: 1000, height: 640 } });
  const { page } = elin;
  await signInAt(page, BROWSER_ORIGIN, "/account", "Elin Sandberg");
  await draw(page, "account");
  await page.goto(`${BROWSER_ORIGIN}/search?q=late+alerts+BrightMarket`);
  await page.getByRole("status").waitFor();
  await draw(page, "search", 980);
});

it("draws the console's overview", async () => {
  // What it counts has really happened: these people connect these apps.
  await connect("Claude", "ben", "carla", "deniz", "elin");
  await connect("Cursor", "ben", "deniz");
  // Counts are written with the first event after a minute.
  await setTimeout(61_000);
  await connect("Notebook", "ada", "carla");
  await using ada = await openConsole("/admin", WIDE);
  await ada.page.getByRole("heading", { name: "Overview" }).waitFor();
  await draw(ada.page, "console-overview", 668);
});

it("draws the test of a token that is refused", async () => {
  const issuer = await publishIssuer();
  await using ada = await openConsole("/admin/issuers/new?preset=other", WIDE);
  const { page } = ada;
  await page.getByLabel("Issuer", { exact: true }).fill(issuer);
  await page.getByLabel("Name", { exact: true }).fill("Portal IdP");
  await page.getByLabel("Client ids").fill("portal");
  await page.getByLabel("Audiences").fill(AUDIENCE);
  await page.getByLabel("Email domains").fill("acme.example");
  await page.getByRole("button", { name: "Add the provider" }).click();
  await page.getByText("1 for RS256").waitFor();
  await page.getByRole("link", { name: "Test a token" }).click();
  await page.getByLabel("Token", { exact: true }).fill(await signToken(issuer, { aud: AUDIENCE, azp: "stranger" }));
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByRole("status").waitFor();
  await draw(page, "token-test", 1000);
});
