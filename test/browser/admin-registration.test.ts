import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { authorizeUrl, openBrowser, PHONE, registerApp } from "../support/node/browser-person.ts";
import { openConsent } from "../support/node/consent-page.ts";
import { APPROVAL_ORIGIN, REDIRECT_URI } from "../support/node/gatehouse.ts";
import { expectUsable } from "../support/node/looks.ts";
import { openPlainPage } from "../support/node/plain-pages.ts";

const PATH = "/admin/registration";

/** Opens the rules of the instance where apps need approval. No other test depends on these rules. */
const openRules = (look: BrowserContextOptions) => openConsole(PATH, look, APPROVAL_ORIGIN);

describe("OAuth and registration in the console", () => {
  it("switch OAuth off and on, save rules, approve an app and disable it, without JavaScript", async () => {
    const clientId = await registerApp("Applicant", REDIRECT_URI, APPROVAL_ORIGIN);
    await using ada = await openPlainPage(PATH, APPROVAL_ORIGIN);
    await ada.follow("OAuth");
    await ada.follow("Turn off…");
    await ada.press("Turn off");
    await ada.press("Turn on");
    expect(await ada.countLinks("Turn off…")).toBe(1);
    await ada.follow("Registration");
    await ada.enter({ "Approved addresses": "https://*.example/cb" });
    await ada.press("Save");
    expect(await ada.text("alert")).toContain("neither a redirect URI pattern nor a known app");
    expect(await ada.value("Approved addresses")).toBe("https://*.example/cb");
    await ada.enter({ "Approved addresses": "https://app.example/oauth/*\nhttps://other.example/cb" });
    await ada.enter({ Claude: true }, "Approved apps");
    await ada.press("Save");
    expect(await ada.text("status")).toContain("saved");
    expect(await ada.value("Claude", "Approved apps")).toBe(true);

    await ada.press("Approve Applicant");
    expect(await ada.text("status")).toContain("approved");
    await using ben = await openBrowser();
    await openConsent(ben.page, authorizeUrl(clientId, REDIRECT_URI, APPROVAL_ORIGIN));

    await ada.follow("All apps");
    await ada.enter({ "Name, address or id": "applic" });
    await ada.press("Search");
    await ada.follow("Applicant");
    await ada.follow("Disable…");
    expect(await ada.text()).toContain("If you enable it again");
    await ada.press("Disable the app");
    expect(await ada.text("status")).toContain("App disabled");
  });

  it("ask for confirmation before a scope is removed from every app", async () => {
    await using ada = await openRules(PHONE);
    const { page } = ada;
    await page.getByRole("checkbox", { name: "Chat Ask" }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("“Chat” is removed from every app").waitFor();
    await expectUsable(page, "admin-registration-narrowing");
    await page.getByRole("link", { name: "Save nothing" }).click();
    await page.getByRole("link", { name: "Save nothing" }).waitFor({ state: "hidden" });
    expect(await page.getByRole("checkbox", { name: "Chat Ask" }).isChecked()).toBe(true);
  });

  it("have accessible pages that fit a phone", async () => {
    await registerApp("Assistant with a rather long name", "https://assistant.example/cb", APPROVAL_ORIGIN);
    await using ada = await openRules(PHONE);
    const { page } = ada;
    await expectUsable(page, "admin-registration-rules");
    await page.getByRole("radio", { name: "Apps with an approved address" }).check();
    const presets = page.locator("#presets");
    expect((await presets.boundingBox())?.height).toBeLessThan(700);
    await page.getByText("Which addresses this approves").click();
    await page.getByText("https://claude.ai/api/mcp/auth_callback").waitFor();
    await expectUsable(page, "admin-registration-presets");
    await page.getByRole("link", { name: /^Deny Assistant/ }).click();
    await page.waitForURL(/\/clients\/deny\?/);
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
