import { describe, expect, it } from "vitest";
import { openConsole, signInAt } from "../support/node/browser-administrator.ts";
import { DESKTOP, keepScreenshot, openBrowser, PHONE } from "../support/node/browser-person.ts";
import { findings } from "../support/node/findings.ts";
import { BROWSER_ORIGIN } from "../support/node/gatehouse.ts";
import { expectUsable } from "../support/node/looks.ts";

/** A green square of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("settings and sign-out", () => {
  it("show a logo that was uploaded without JavaScript on error pages", async () => {
    await using ada = await openConsole("/admin/settings", { ...DESKTOP, javaScriptEnabled: false });
    const { page } = ada;
    await page.getByLabel("Picture").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: PNG });
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByRole("status").getByText("Logo saved").waitFor();

    await using person = await openBrowser();
    await person.page.goto(`${BROWSER_ORIGIN}/oauth/authorize?client_id=nobody`);
    const width = "document.querySelector('header img').naturalWidth";
    expect(await person.page.evaluate(width)).toBe(1);
    expect(await findings(person.page)).toEqual([]);
    await keepScreenshot(person.page, "error-branded");

    await page.getByRole("button", { name: "Remove the logo" }).click();
    await page.getByRole("status").getByText("Logo removed").waitFor();
  });

  it("have accessible pages that fit a phone", async () => {
    await using ada = await openConsole("/admin/settings", PHONE);
    const { page } = ada;
    for (const path of ["", "/sign-everybody-out", "/refuse-external-tokens"]) {
      await page.goto(`${BROWSER_ORIGIN}/admin/settings${path}`);
      await expectUsable(page, `admin-settings${path.replace("/", "-")}`);
    }
    await page.goto(`${BROWSER_ORIGIN}/admin/settings/end-grants`);
    await page.getByLabel("To continue, type acme").fill("Acme");
    await page.getByRole("button", { name: "End all access" }).click();
    await page.getByText("Type acme, the name of this instance.").first().waitFor();
    await expectUsable(page, "admin-settings-end-grants-refused");
  });

  it("show an accessible page to a person who has signed out", async () => {
    await using carla = await openBrowser();
    await signInAt(carla.page, BROWSER_ORIGIN, "/account", "Carla Reyes");
    await carla.page.getByText("Chrome, Linux").waitFor();
    await carla.page.getByRole("button", { name: "Sign out" }).click();
    await carla.page.getByRole("heading", { name: "You are signed out" }).waitFor();
    expect(await findings(carla.page)).toEqual([]);
  });
});
