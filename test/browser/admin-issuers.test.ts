import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { DESKTOP } from "../support/node/browser-person.ts";
import { BROWSER_ORIGIN } from "../support/node/gatehouse.ts";
import { publishIssuer, signToken } from "../support/node/issuer-token.ts";
import { ANY_LOOK, expectUsable } from "../support/node/looks.ts";

const AUDIENCE = "api://gatehouse";

/** Fills in what a provider without a preset needs, and sends it. */
async function addByHand(page: Page, issuer: string, name: string): Promise<void> {
  await page.getByLabel("Issuer", { exact: true }).fill(issuer);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Client ids").fill("portal");
  await page.getByLabel("Audiences").fill(AUDIENCE);
  await page.getByLabel("Email domains").fill("acme.example");
  await page.getByRole("button", { name: "Add the provider" }).click();
}

/** Sends a token to the test, and waits for its answer. */
async function tryToken(page: Page, token: string): Promise<string> {
  await page.getByLabel("Token", { exact: true }).fill(token);
  // The page before can show an answer, too.
  const answered = page.waitForEvent("domcontentloaded");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await answered;
  return page.getByRole("status").innerText();
}

describe("identity providers in the console", () => {
  it("are added, tried, disabled and removed, without JavaScript", async () => {
    const issuer = await publishIssuer();
    const token = await signToken(issuer, { aud: AUDIENCE, azp: "portal" });
    await using ada = await openConsole("/admin/issuers", { ...DESKTOP, javaScriptEnabled: false });
    const { page } = ada;
    await page.getByRole("link", { name: "Add a provider" }).click();
    await page.getByRole("link", { name: "Any other provider" }).click();
    await addByHand(page, `${issuer}#fragment`, "Portal IdP");
    await page.getByRole("alert").getByRole("link").click();
    await page.waitForURL(/#issuer$/);
    expect(await page.getByLabel("Client ids").inputValue()).toBe("portal");
    await addByHand(page, issuer, "Portal IdP");
    await page.getByText("1 for RS256").waitFor();

    await page.getByRole("link", { name: "Test a token" }).click();
    expect(await tryToken(page, token)).toMatch(/Let in.*200/s);
    expect(await page.content()).not.toContain(token.split(".")[2]);
    expect(await page.getByLabel("Token", { exact: true }).inputValue()).toBe("");
    expect(await tryToken(page, await signToken(issuer, { aud: AUDIENCE, azp: "stranger" }))).toMatch(
      /Refused.*403 client_not_registered/s,
    );
    await page.getByLabel("Send the header").uncheck();
    expect(await tryToken(page, token)).toMatch(/401 invalid_secret/);

    await page.getByRole("link", { name: "Identity providers" }).click();
    await page.getByRole("link", { name: "Portal IdP" }).click();
    await page.getByRole("link", { name: "Disable…" }).click();
    await page.getByText("1 application").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("status").getByText("enabled").waitFor();
    await page.getByRole("link", { name: "Remove…" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("status").getByText("removed").waitFor();
    expect(await page.getByRole("link", { name: "Portal IdP" }).count()).toBe(0);
  });

  it("of a known kind are asked for what they need alone, and nobody vouches beforehand", async () => {
    await using ada = await openConsole("/admin/issuers/new");
    const { page } = ada;
    await page.getByRole("link", { name: "Okta" }).click();
    await page.getByLabel("Domain", { exact: true }).fill("acme.okta.com");
    expect(await page.getByLabel("Tenant id").count()).toBe(0);
    await page.getByLabel("Client ids").fill("portal");
    await page.getByLabel("Email domains").fill("acme.example");
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Add the provider" }).click();
    await page.getByRole("alert").getByText("Choose who confirms").waitFor();
    expect(await page.getByLabel("Domain", { exact: true }).inputValue()).toBe("acme.okta.com");
  });

  it("can be used by everybody", async () => {
    const issuer = await publishIssuer();
    await using ada = await openConsole("/admin/issuers/new?preset=other", ANY_LOOK);
    const { page } = ada;
    await expectUsable(page, "admin-issuers-by-hand");
    await addByHand(page, issuer, "IdP of the looks");
    await page.getByText("1 for RS256").waitFor();
    await expectUsable(page, "admin-issuers-added");
    for (const path of ["", "/new", "/new?preset=okta"]) {
      await page.goto(`${BROWSER_ORIGIN}/admin/issuers${path}`);
      await expectUsable(page, `admin-issuers${path.replace(/\W+/g, "-")}`);
    }
    await page.goto(`${BROWSER_ORIGIN}/admin/issuers/test`);
    await tryToken(page, await signToken(issuer, { aud: "api://other", azp: "portal" }));
    await expectUsable(page, "admin-issuers-tested");
    const query = new URLSearchParams({ issuer }).toString();
    await page.goto(`${BROWSER_ORIGIN}/admin/issuers/remove?${query}`);
    await expectUsable(page, "admin-issuers-remove");
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("status").getByText("removed").waitFor();
  });
});
