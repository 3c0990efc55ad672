import { readFileSync } from "node:fs";
import { CommandTokens, SETUP_LIFETIME_SECONDS } from "#admin-api/command-token.ts";
import { Keyring } from "#crypto/keyring.ts";
import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { GATEHOUSE_FOLDER, SETUP_ORIGIN, SSO } from "../support/node/gatehouse.ts";
import { openBrowser, PHONE } from "../support/node/browser-person.ts";
import { expectUsable } from "../support/node/looks.ts";
import { openPlainPage } from "../support/node/plain-pages.ts";

const PATH = "/admin/single-sign-on";

describe("the connection to the SSO in the console", () => {
  it("can be tested and saved without JavaScript, and a new issuer needs confirmation", async () => {
    await using ada = await openPlainPage(PATH);
    await ada.press("Test without saving");
    expect(await ada.text("status")).toContain("The connection works");
    expect(await ada.text()).toContain("The SSO accepts the client and its secret");
    await ada.press("Save");
    expect(await ada.text("status")).toContain("Connection saved");

    const before = await ada.value("Issuer");
    await ada.enter({ Issuer: "https://sso.example", "Client secret": "a new secret" });
    await ada.press("Save");
    expect(await ada.text()).toContain("A new issuer means new accounts");
    expect(await ada.value("Change the issuer")).toBe(false);
    expect(await ada.value("Client secret")).toBe("");
    expect(await ada.html()).not.toContain("a new secret");
    await ada.follow("Single sign-on");
    expect(await ada.value("Issuer")).toBe(before);
  });

  it("has an accessible page that fits a phone", async () => {
    await using ada = await openConsole(PATH, PHONE);
    const { page } = ada;
    await page.getByRole("button", { name: "Test without saving" }).click();
    await page.getByRole("status").waitFor();
    await expectUsable(page, "admin-single-sign-on-tested");
    await page.getByLabel("Issuer", { exact: true }).fill("https://sso.example");
    await page.getByLabel("Client secret").fill("a new secret");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("A new issuer means new accounts").waitFor();
    await expectUsable(page, "admin-single-sign-on-asked");
  });
});

describe("the page where the first administrator connects the SSO", () => {
  it("is usable also if the connection does not work, and leads to the console, another SSO, and a choice", async () => {
    const [, keys = ""] = /^MASTER_KEYS="?([^"\n]+)/m.exec(readFileSync(`${GATEHOUSE_FOLDER}/.dev.vars`, "utf8")) ?? [];
    const tokens = new CommandTokens(new Keyring(keys), SETUP_LIFETIME_SECONDS);
    await using ada = await openBrowser(PHONE);
    const { page } = ada;
    await page.goto(`${SETUP_ORIGIN}/setup?token=${await tokens.make("setup", SETUP_ORIGIN, "/setup")}`);
    expect(page.url()).toBe(`${SETUP_ORIGIN}/setup`);
    await expectUsable(page, "setup");
    await page.getByRole("link", { name: "Any other provider" }).click();
    await page.getByLabel("Issuer", { exact: true }).fill("http://localhost:9");
    await page.getByLabel("Client id").fill("gatehouse");
    await page.getByLabel("Client secret").fill("a secret");
    await page.getByRole("button", { name: "Test and connect" }).click();
    await page.getByRole("status").waitFor();
    await expectUsable(page, "setup-tested");

    await page.getByLabel("Issuer", { exact: true }).fill(SSO.issuer);
    await page.getByLabel("Client id").fill(SSO.clientId);
    await page.getByLabel("Client secret").fill(SSO.clientSecret);
    await page.getByRole("button", { name: "Test and connect" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Ada Marlow" }).click();
    await page.waitForURL(`${SETUP_ORIGIN}/admin`);

    await page.goto(SETUP_ORIGIN + PATH);
    await page.getByLabel("Email domains").fill("acme.example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Connection saved").waitFor();
    await page.getByRole("link", { name: "Add another single sign-on" }).click();
    await page.getByRole("link", { name: "Keycloak" }).click();
    await page.getByLabel("Realm").fill("https://sso.other.example/realms/other");
    await page.getByLabel("Client id").fill("gatehouse");
    await page.getByLabel("Client secret").fill("a secret");
    await page.getByLabel("Name on the sign-in page").fill("Other Ltd");
    await page.getByLabel("Email domains").fill("other.example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Single sign-on added").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(`${SETUP_ORIGIN}/sign-in?to=/search`);
    await page.getByRole("button", { name: "Sign in with Other Ltd" }).waitFor();
    await expectUsable(page, "sign-in-several");
    await page.getByRole("button", { name: `Sign in with ${new URL(SSO.issuer).host}` }).click();
    await page.getByRole("button", { name: "Ada Marlow" }).waitFor();
  });
});
