import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { authorizeUrl, DESKTOP, keepScreenshot, openBrowser, signIn } from "../support/node/browser-person.ts";
import { launchChromium } from "../support/node/chromium.ts";
import { findings } from "../support/node/findings.ts";
import { REDIRECT_URI } from "../support/node/gatehouse.ts";
import { LOOKS, usabilityOf } from "../support/node/looks.ts";
import { registerWaitingApp } from "../support/node/waiting-app.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser?.close());

describe("registration in the console", () => {
  // The rules are the whole instance's, and other test files register apps at the same time: nothing here narrows them.
  it("takes rules, lets an app in and blocks it, without JavaScript", async () => {
    const clientId = await registerWaitingApp("Applicant", REDIRECT_URI);
    await using ada = await openConsole(browser, "/admin/registration", { ...DESKTOP, javaScriptEnabled: false });
    const { page } = ada;
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
    await using ben = await openBrowser(browser);
    await signIn(ben.page, authorizeUrl(clientId, REDIRECT_URI));

    await page.getByRole("link", { name: "The apps that registered" }).click();
    await page.getByLabel("Name, address or client id").fill("applic");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Applicant" }).click();
    await page.getByRole("link", { name: "Block…" }).click();
    await page.getByText("there is no way to unblock it").waitFor();
    await page.getByRole("button", { name: "Block for good" }).click();
    await page.getByRole("status").getByText("blocked").waitFor();
  });

  it("asks before a scope is taken from apps that are in use", async () => {
    await using ada = await openConsole(browser, "/admin/registration");
    const { page } = ada;
    await page.getByRole("checkbox", { name: "Chat Asks" }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("“Chat” is taken from every app").waitFor();
    expect(await findings(page)).toEqual([]);
    await keepScreenshot(page, "admin-registration-narrowing");
    await page.getByRole("link", { name: "Save nothing" }).click();
    expect(await page.getByRole("checkbox", { name: "Chat Asks" }).isChecked()).toBe(true);
  });

  it.each(Object.entries(LOOKS))("can be used by everybody: %s", async (name, look) => {
    await using ada = await openConsole(browser, "/admin/registration", look);
    const { page } = ada;
    const expectUsable = usabilityOf(page, "admin-registration", name);
    await registerWaitingApp(`Assistant with a rather long name (${name})`, "https://assistant.example/cb");
    await page.reload();
    await expectUsable("rules");
    await page
      .getByRole("link", { name: /^Refuse Assistant/ })
      .first()
      .click();
    await expectUsable("refuse");
    await page.getByRole("button", { name: "Refuse for good" }).click();
    await page.getByRole("link", { name: "The apps that registered" }).click();
    await expectUsable("apps");
    await page
      .getByRole("link", { name: /^Assistant/ })
      .first()
      .click();
    await expectUsable("app");
  });
});
