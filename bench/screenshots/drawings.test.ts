import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
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
import {
  answerConsent,
  BROWSER_ORIGIN,
  GATEHOUSE_FOLDER,
  ORIGIN,
  REDIRECT_URI,
} from "../../test/support/node/gatehouse.ts";
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

/** Connects an app for a person, including its tokens. */
async function connect(app: string, sub: string): Promise<void> {
  const clientId = await registerApp(app, REDIRECT_URI, ORIGIN);
  const answer = await answerConsent(authorizeUrl(clientId, REDIRECT_URI, ORIGIN), sub);
  const code = answer.searchParams.get("code") ?? "";
  const fields = { grant_type: "authorization_code", code, client_id: clientId, redirect_uri: REDIRECT_URI };
  const body = new URLSearchParams({ ...fields, code_verifier: VERIFIER });
  const { status } = await fetch(`${ORIGIN}/oauth/token`, { method: "POST", body });
  if (status !== 200) throw new Error(`the token endpoint answered ${status}`);
}

/** Adds the counts of a month's use. Without them the charts would be empty. */
function plantUsage(): void {
  for (const file of globSync(`${GATEHOUSE_FOLDER}/.wrangler/state/v3/d1/**/*.sqlite`)) {
    const database = new DatabaseSync(file, { timeout: 5000 });
    const [table] = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'usage_counts'").all();
    if (table) {
      database.exec(`WITH RECURSIVE past (days) AS (SELECT 0 UNION ALL SELECT days + 1 FROM past WHERE days < 29)
        INSERT OR IGNORE INTO usage_counts (instance_id, day, kind, name, count)
        SELECT i.id, unixepoch() / 86400 - days, c.kind, c.name, c.most - (days * 37 % 11) * c.most / 30
        FROM past CROSS JOIN instances i
        CROSS JOIN (SELECT 'token' AS kind, 'refresh_token' AS name, 420 AS most
          UNION ALL SELECT 'refusal', 'token_expired', 18 UNION ALL SELECT 'refusal', 'no_route', 9) c
        WHERE i.name = 'acme'`);
    }
    database.close();
  }
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
  await page.goto(`${BROWSER_ORIGIN}/search?q=runbook+token`);
  await page.getByRole("status").waitFor();
  await draw(page, "search");
});

it("draws the console's overview", async () => {
  plantUsage();
  await using ada = await openConsole("/admin", WIDE);
  await ada.page.getByRole("heading", { name: "Overview" }).waitFor();
  await draw(ada.page, "console-overview", 1000);
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
