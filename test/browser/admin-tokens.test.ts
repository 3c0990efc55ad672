import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { PHONE } from "../support/node/browser-person.ts";
import { ORIGIN } from "../support/node/gatehouse.ts";
import { expectUsable } from "../support/node/looks.ts";
import { openPlainPage } from "../support/node/plain-pages.ts";

/** Tries to index a document with a token, and returns the response's status. */
async function index(secret: string): Promise<number> {
  const document = { datasource: "handbook", id: "browser", title: "Words", viewURL: "https://wiki.example/1" };
  const response = await fetch(`${ORIGIN}/rest/api/index/indexdocument`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ document }),
  });
  return response.status;
}

describe("tokens in the console", () => {
  it("can be created after a refused form, used, given a new secret and revoked without JavaScript", async () => {
    await using ada = await openPlainPage("/admin/tokens");
    await ada.follow("Create a token");
    await ada.enter({ "Write documents": true });
    await ada.press("Next");

    await ada.enter({ Name: "Handbook sync", Datasources: "handbook\nnot a name" });
    await ada.press("Create the token");
    await ada.expectRefused("Datasources");
    expect(await ada.value("Name")).toBe("Handbook sync");
    await ada.enter({ Datasources: "handbook" });
    await ada.press("Create the token");

    const first = String(await ada.value("Token"));
    expect(await index(first)).toBe(200);
    expect(await ada.text()).toContain("indexdocument");
    await ada.follow("I’ve saved it");
    expect(await ada.html()).not.toContain(first);

    await ada.follow("Give Handbook sync a new secret");
    await ada.enter({ "End the old secret now": true });
    await ada.press("Replace the secret");
    const second = String(await ada.value("Token"));
    expect(await index(second)).toBe(200);
    await ada.follow("I’ve saved it");

    await ada.follow("Revoke Handbook sync");
    expect(await ada.text()).toMatch(/Last used\s*(now|\d+ \w+ ago)/);
    await ada.press("Revoke the token");
    expect(await ada.text("status")).toContain("revoked");
    expect(await ada.countLinks("Revoke Handbook sync")).toBe(0);
    await ada.enter({ State: "ended" });
    await ada.press("Search");
    expect(await ada.text()).toMatch(/Handbook sync.*Revoked/s);
    expect(await index(second)).toBe(401);
  });

  it("have a button that copies the secret", async () => {
    await using ada = await openConsole("/admin/tokens/new");
    const { context, page } = ada;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByLabel("Write custom metadata").check();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Tagger");
    await page.getByLabel("Group", { exact: true }).fill("review");
    await page.getByRole("button", { name: "Create the token" }).click();
    const secret = await page.getByLabel("Token", { exact: true }).inputValue();
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
  });

  it("have accessible pages that fit a phone", async () => {
    await using ada = await openConsole("/admin/tokens", PHONE);
    const { page } = ada;
    for (const path of ["", "/new", "/new?purpose=person", "/new?purpose=metadata"]) {
      await page.goto(new URL(`/admin/tokens${path}`, page.url()).href);
      await expectUsable(page, `admin-tokens${path.replace(/\W+/g, "-")}`);
    }
    await page.goto(new URL("/admin/tokens/new?purpose=person", page.url()).href);
    await page.getByLabel("Name", { exact: true }).fill("Asked about");
    await page.getByLabel("Person’s email").fill("aad@acme.example");
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByText("Nobody has signed in as").waitFor();
    await expectUsable(page, "admin-tokens-asked");
    await page.goto(new URL("/admin/tokens/new?purpose=documents", page.url()).href);
    await page.getByLabel("Name", { exact: true }).fill("Looked at");
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByRole("alert").waitFor();
    await expectUsable(page, "admin-tokens-refused");
    await page.getByLabel("Datasources", { exact: true }).fill("handbook");
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByLabel("Token", { exact: true }).waitFor();
    await expectUsable(page, "admin-tokens-secret");
    await page.getByRole("link", { name: "I’ve saved it" }).click();
    await page.getByRole("link", { name: "Revoke Looked at" }).first().click();
    await page.waitForURL(/\/revoke$/);
    await expectUsable(page, "admin-tokens-revoke");
    await page.getByRole("button", { name: "Revoke the token" }).click();
    await page.getByRole("status").getByText("revoked").waitFor();
    await page.getByLabel("State").selectOption("ended");
    await page.getByRole("button", { name: "Search" }).click();
    await page.waitForURL(/[?&]state=ended/);
    await page.getByRole("table", { name: "Tokens" }).waitFor();
    await expectUsable(page, "admin-tokens-ended");
  });
});
