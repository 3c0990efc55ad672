import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { DESKTOP } from "../support/node/browser-person.ts";
import { ANY_LOOK, expectUsable } from "../support/node/looks.ts";

describe("an administrator's apps in the console", () => {
  it("are made, changed, given a new secret, disabled and deleted, without JavaScript", async () => {
    await using ada = await openConsole("/admin/clients", { ...DESKTOP, javaScriptEnabled: false });
    const { page } = ada;
    await page.getByRole("link", { name: "Create an app" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Payroll");
    await page.getByLabel("Redirect URIs").fill("http://payroll.example/cb");
    await page.getByLabel("Read documents").check();
    await page.getByRole("radio", { name: /^Confidential It/ }).check();
    await page.getByRole("button", { name: "Create the app" }).click();

    await page.getByRole("alert").getByRole("link").click();
    await page.waitForURL(/#redirectUris$/);
    const uris = page.getByLabel("Redirect URIs");
    expect(await uris.getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Payroll");
    expect(await page.getByRole("radio", { name: /^Confidential It/ }).isChecked()).toBe(true);
    await uris.fill("https://payroll.example/cb");
    await page.getByRole("button", { name: "Create the app" }).click();

    const first = await page.getByLabel("Client secret").inputValue();
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(await page.getByRole("button", { name: "Copy", exact: true }).isVisible()).toBe(false);
    await page.getByRole("link", { name: "I’ve saved it" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor();
    expect(await page.content()).not.toContain(first);
    await page.getByLabel("Name", { exact: true }).fill("Payroll 2");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("saved").waitFor();

    await page.getByRole("link", { name: "Replace the secret…" }).click();
    await page.getByText("The old secret stops working at once").waitFor();
    await page.getByRole("button", { name: "Replace the secret" }).click();
    expect(await page.getByLabel("Client secret").inputValue()).not.toBe(first);
    await page.getByRole("link", { name: "I’ve saved it" }).click();

    await page.getByRole("link", { name: "Disable…" }).click();
    await page.getByText("Nobody is using it.").waitFor();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "Disable…" }).click();
    await page.getByRole("button", { name: "Disable the app" }).click();
    await page.getByRole("link", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete the app" }).click();
    await page.getByRole("status").getByText("deleted").waitFor();
    expect(await page.getByRole("link", { name: "Payroll 2" }).count()).toBe(0);
  });

  it("put a secret on the clipboard with one press", async () => {
    await using ada = await openConsole("/admin/clients/new");
    const { context, page } = ada;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByLabel("Name", { exact: true }).fill("Clipboard");
    await page.getByLabel("Redirect URIs").fill("https://clipboard.example/cb");
    await page.getByRole("radio", { name: /^Confidential It/ }).check();
    await page.getByRole("button", { name: "Create the app" }).click();
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const secret = await page.getByLabel("Client secret").inputValue();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
  });

  it("can be used by everybody", async () => {
    await using ada = await openConsole("/admin/clients/new", ANY_LOOK);
    const { page } = ada;
    await expectUsable(page, "admin-clients-new");
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
    await page.waitForURL(/\/delete$/);
    await expectUsable(page, "admin-clients-delete");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Apps", exact: true }).click();
    await page.waitForURL(/\/clients$/);
    await expectUsable(page, "admin-clients-list");
  });
});
