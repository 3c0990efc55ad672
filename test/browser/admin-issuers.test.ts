import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { BROWSER_ORIGIN } from "../support/node/gatehouse.ts";
import { publishIssuer, signToken } from "../support/node/issuer-token.ts";
import { PHONE } from "../support/node/browser-person.ts";
import { expectUsable } from "../support/node/looks.ts";
import { openPlainPage } from "../support/node/plain-pages.ts";

const AUDIENCE = "api://gatehouse";

/** Fills in and submits the form for a provider without a preset. */
async function addByHand(page: Page, issuer: string, name: string): Promise<void> {
  await page.getByLabel("Issuer", { exact: true }).fill(issuer);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Client ids").fill("portal");
  await page.getByLabel("Audiences").fill(AUDIENCE);
  await page.getByLabel("Email domains").fill("acme.example");
  await page.getByRole("button", { name: "Add the provider" }).click();
}

/** Sends a token to the token test page, and waits for its result. */
async function tryToken(page: Page, token: string): Promise<string> {
  await page.getByLabel("Token", { exact: true }).fill(token);
  // The previous page can also show a result, so wait for the new page first.
  const answered = page.waitForEvent("domcontentloaded");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await answered;
  return page.getByRole("status").innerText();
}

describe("identity providers in the console", () => {
  it("can be added, tested with a token, disabled and removed without JavaScript", async () => {
    const issuer = await publishIssuer();
    const token = await signToken(issuer, { aud: AUDIENCE, azp: "portal" });
    await using ada = await openPlainPage("/admin/issuers");
    await ada.follow("Add a provider");
    await ada.follow("Any other provider");
    const fields = {
      Name: "Portal IdP",
      "Client ids": "portal",
      Audiences: AUDIENCE,
      "Email domains": "acme.example",
    };
    await ada.enter({ Issuer: `${issuer}#fragment`, ...fields });
    await ada.press("Add the provider");
    await ada.expectRefused("Issuer");
    expect(await ada.value("Client ids")).toBe("portal");
    await ada.enter({ Issuer: issuer });
    await ada.press("Add the provider");
    expect(await ada.text()).toContain("1 for RS256");

    await ada.follow("Test a token");
    const answerTo = async (tried: string) => {
      await ada.enter({ Token: tried });
      await ada.press("Test");
      return ada.text("status");
    };
    expect(await answerTo(token)).toMatch(/Accepted.*200/s);
    expect(await ada.html()).not.toContain(token.split(".")[2]);
    expect(await ada.value("Token")).toBe("");
    expect(await answerTo(await signToken(issuer, { aud: AUDIENCE, azp: "stranger" }))).toMatch(
      /Refused.*403 client_not_registered/s,
    );
    await ada.enter({ "Send the header": false });
    expect(await answerTo(token)).toMatch(/401 invalid_secret/);

    await ada.follow("Identity providers");
    await ada.follow("Portal IdP");
    await ada.follow("Disable…");
    expect(await ada.text()).toContain("1 application");
    await ada.press("Disable");
    await ada.press("Enable");
    expect(await ada.text("status")).toContain("enabled");
    await ada.follow("Remove…");
    await ada.press("Remove");
    expect(await ada.text("status")).toContain("removed");
    expect(await ada.countLinks("Portal IdP")).toBe(0);
  });

  it("with a preset ask only for what the preset needs, and preselect nobody who confirms email addresses", async () => {
    await using ada = await openPlainPage("/admin/issuers/new");
    await ada.follow("Okta");
    expect(await ada.html()).not.toContain("Tenant id");
    await ada.enter({ Domain: "acme.okta.com", "Client ids": "portal", "Email domains": "acme.example" });
    expect(await ada.html()).not.toMatch(/<input[^>]*type="radio"[^>]*checked/);
    await ada.press("Add the provider");
    expect(await ada.text("alert")).toContain("Choose who confirms");
    expect(await ada.value("Domain")).toBe("acme.okta.com");
  });

  it("have accessible pages that fit a phone", async () => {
    const issuer = await publishIssuer();
    await using ada = await openConsole("/admin/issuers/new?preset=other", PHONE);
    const { page } = ada;
    await expectUsable(page, "admin-issuers-by-hand");
    await addByHand(page, issuer, "IdP of the looks");
    await page.getByText("1 for RS256").waitFor();
    await expectUsable(page, "admin-issuers-added");
    for (const path of ["", "/new"]) {
      await page.goto(`${BROWSER_ORIGIN}/admin/issuers${path}`);
      await expectUsable(page, `admin-issuers${path.replace(/\W+/g, "-")}`);
    }
    await page.goto(`${BROWSER_ORIGIN}/admin/token-test`);
    await tryToken(page, await signToken(issuer, { aud: "api://other", azp: "portal" }));
    await expectUsable(page, "admin-issuers-tested");
    const query = new URLSearchParams({ issuer }).toString();
    await page.goto(`${BROWSER_ORIGIN}/admin/issuers/remove?${query}`);
    await expectUsable(page, "admin-issuers-remove");
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("status").getByText("removed").waitFor();
  });
});
