import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { PHONE } from "../support/node/browser-person.ts";
import { expectUsable } from "../support/node/looks.ts";
import { openPlainPage } from "../support/node/plain-pages.ts";

describe("apps in the console", () => {
  it("can be created, changed, given a new secret, disabled and deleted without JavaScript", async () => {
    await using ada = await openPlainPage("/admin/clients");
    await ada.follow("Create an app");
    await ada.enter({
      Name: "Payroll",
      "Redirect URIs": "http://payroll.example/cb",
      "Read documents": true,
      "Confidential It": true,
    });
    await ada.press("Create the app");
    await ada.expectRefused("Redirect URIs");
    expect(await ada.value("Name")).toBe("Payroll");
    expect(await ada.value("Confidential It")).toBe(true);
    await ada.enter({ "Redirect URIs": "https://payroll.example/cb" });
    await ada.press("Create the app");

    const first = await ada.value("Client secret");
    expect(first).toMatch(/^[\w-]{43}$/);
    await ada.follow("I’ve saved it");
    expect(await ada.html()).not.toContain(first);
    await ada.enter({ Name: "Payroll 2" });
    await ada.press("Save");
    expect(await ada.text("status")).toContain("saved");

    await ada.follow("Replace the secret…");
    expect(await ada.text()).toContain("The old secret stops working at once");
    await ada.press("Replace the secret");
    expect(await ada.value("Client secret")).not.toBe(first);
    await ada.follow("I’ve saved it");

    await ada.follow("Disable…");
    expect(await ada.text()).toContain("Nobody is using it.");
    await ada.follow("Cancel");
    await ada.follow("Disable…");
    await ada.press("Disable the app");
    await ada.follow("Delete…");
    await ada.press("Delete the app");
    expect(await ada.text("status")).toContain("App deleted");
    expect(await ada.countLinks("Payroll 2")).toBe(0);
  });

  it("have accessible pages that fit a phone", async () => {
    await using ada = await openConsole("/admin/clients/new", PHONE);
    const { page } = ada;
    await page.getByLabel("Name", { exact: true }).fill("Looks");
    await page.getByLabel("Redirect URIs").fill("ftp://looks.example");
    await page.getByRole("button", { name: "Create the app" }).click();
    await page.getByRole("alert").waitFor();
    await expectUsable(page, "admin-clients-refused");
    await page.getByLabel("Redirect URIs").fill("https://looks.example/a-rather-long-address/of-an-app/callback");
    await page.getByRole("radio", { name: /^Confidential It/ }).check();
    await page.getByRole("button", { name: "Create the app" }).click();
    await page.getByLabel("Client secret").waitFor();
    await expectUsable(page, "admin-clients-secret");
    await page.getByRole("link", { name: "I’ve saved it" }).click();
    await page.waitForURL(/\/clients\/(?!new)[^/]+$/);
    await expectUsable(page, "admin-clients-one");
    await page.getByRole("link", { name: "Delete…" }).click();
    await page.waitForURL(/\/delete\?/);
    await expectUsable(page, "admin-clients-delete");
    await page.goto(new URL("/admin/clients", page.url()).href);
    await expectUsable(page, "admin-clients-list");
  });
});
