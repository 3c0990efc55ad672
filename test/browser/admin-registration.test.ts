import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { authorizeUrl, DESKTOP, openBrowser, registerApp, signIn } from "../support/node/browser-person.ts";
import { APPROVAL_ORIGIN, REDIRECT_URI } from "../support/node/gatehouse.ts";
import { ANY_LOOK, expectUsable } from "../support/node/looks.ts";

const PATH = "/admin/registration";

/** At the instance where apps wait for approval, whose rules no other test depends on. */
const openRules = (look: BrowserContextOptions) => openConsole(PATH, look, APPROVAL_ORIGIN);

describe("registration in the console", () => {
  it("is switched off and on with OAuth, takes rules, lets an app in and disables it, without JavaScript", async () => {
    const clientId = await registerApp("Applicant", REDIRECT_URI, APPROVAL_ORIGIN);
    await using ada = await openRules({ ...DESKTOP, javaScriptEnabled: false });
    const { page } = ada;
    await page.getByRole("link", { name: "OAuth", exact: true }).click();
    await page.getByRole("link", { name: "Switch off…" }).click();
    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("button", { name: "Switch on" }).click();
    await page.getByRole("link", { name: "Switch off…" }).waitFor();
    await page.getByRole("link", { name: "Registration", exact: true }).click();
    await page.getByLabel("Approved addresses").fill("https://*.example/cb");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("no redirect URI pattern").waitFor();
    expect(await page.getByLabel("Approved addresses").inputValue()).toBe("https://*.example/cb");
    await page.getByLabel("Approved addresses").fill("https://app.example/oauth/*\nhttps://other.example/cb");
    await page.getByRole("checkbox", { name: "Claude https://claude.ai" }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("saved").waitFor();
    expect(await page.getByRole("checkbox", { name: "Claude https://claude.ai" }).isChecked()).toBe(true);

    await page.getByRole("button", { name: "Approve Applicant" }).click();
    await page.getByRole("status").getByText("approved").waitFor();
    await using ben = await openBrowser();
    await signIn(ben.page, authorizeUrl(clientId, REDIRECT_URI, APPROVAL_ORIGIN));

    await page.getByRole("link", { name: "All apps" }).click();
    await page.getByLabel("Name, address or id").fill("applic");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Applicant" }).click();
    await page.getByRole("link", { name: "Disable…" }).click();
    await page.getByText("You can enable it again").waitFor();
    await page.getByRole("button", { name: "Disable the app" }).click();
    await page.getByRole("status").getByText("disabled").waitFor();
  });

  it("asks before a scope is taken from apps that are in use", async () => {
    await using ada = await openRules(ANY_LOOK);
    const { page } = ada;
    await page.getByRole("checkbox", { name: "Chat Ask" }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("“Chat” is removed from every app").waitFor();
    await expectUsable(page, "admin-registration-narrowing");
    await page.getByRole("link", { name: "Save nothing" }).click();
    await page.getByRole("link", { name: "Save nothing" }).waitFor({ state: "hidden" });
    expect(await page.getByRole("checkbox", { name: "Chat Ask" }).isChecked()).toBe(true);
  });

  it("can be used by everybody", async () => {
    await registerApp("Assistant with a rather long name", "https://assistant.example/cb", APPROVAL_ORIGIN);
    await using ada = await openRules(ANY_LOOK);
    const { page } = ada;
    await expectUsable(page, "admin-registration-rules");
    await page.getByRole("link", { name: /^Deny Assistant/ }).click();
    await page.waitForURL(/\/clients\/disable/);
    await expectUsable(page, "admin-registration-refuse");
    await page.getByRole("button", { name: "Deny the app" }).click();
    await page.getByRole("button", { name: "Deny the app" }).waitFor({ state: "hidden" });
    await page.getByRole("link", { name: "All apps" }).click();
    await page.waitForURL(/\/clients$/);
    await expectUsable(page, "admin-registration-apps");
    await page.getByRole("link", { name: /^Assistant/ }).click();
    await page.waitForURL(/\/clients\/app\?/);
    await expectUsable(page, "admin-registration-app");
  });
});
