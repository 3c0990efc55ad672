import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { DESKTOP } from "../support/node/browser-person.ts";
import { BROWSER_ORIGIN } from "../support/node/gatehouse.ts";
import { ANY_LOOK, expectUsable } from "../support/node/looks.ts";

const PATH = "/admin/single-sign-on";

describe("the connection to the SSO in the console", () => {
  it("is tested, saved, and asks before another issuer, without JavaScript", async () => {
    await using ada = await openConsole(PATH, { ...DESKTOP, javaScriptEnabled: false });
    const { page } = ada;
    await page.getByRole("button", { name: "Test without saving" }).click();
    await page.getByRole("status").getByText("The connection works").waitFor();
    await page.getByText("The SSO accepts the client and its secret").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Connection saved").waitFor();

    const issuer = page.getByLabel("Issuer", { exact: true });
    const before = await issuer.inputValue();
    await issuer.fill("https://sso.example");
    await page.getByLabel("Client secret").fill("a new secret");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("A new issuer means new accounts").waitFor();
    expect(await page.getByLabel("Change the issuer").isChecked()).toBe(false);
    expect(await page.getByLabel("Client secret").inputValue()).toBe("");
    expect(await page.content()).not.toContain("a new secret");
    await page.goto(BROWSER_ORIGIN + PATH);
    expect(await issuer.inputValue()).toBe(before);
  });

  it("puts the redirect URI on the clipboard with one press", async () => {
    await using ada = await openConsole(PATH);
    const { context, page } = ada;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`${BROWSER_ORIGIN}/oauth/callback`);
  });

  it("can be used by everybody", async () => {
    await using ada = await openConsole(PATH, ANY_LOOK);
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
