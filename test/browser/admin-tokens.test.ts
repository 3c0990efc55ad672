import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { DESKTOP } from "../support/node/browser-person.ts";
import { ORIGIN } from "../support/node/gatehouse.ts";
import { ANY_LOOK, expectUsable } from "../support/node/looks.ts";

/** Tries to index a document with a token; the answer's status. */
async function index(secret: string): Promise<number> {
  const document = { datasource: "handbook", id: "browser", title: "Words", viewURL: "https://wiki.example/1" };
  const response = await fetch(`${ORIGIN}/api/index/v1/indexdocument`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ document }),
  });
  return response.status;
}

describe("tokens in the console", () => {
  it("are made, mended where the form was wrong, used, given a new secret and revoked, without JavaScript", async () => {
    await using ada = await openConsole("/admin/tokens", { ...DESKTOP, javaScriptEnabled: false });
    const { page } = ada;
    await page.getByRole("link", { name: "Create a token" }).click();
    await page.getByLabel("Write documents").check();
    await page.getByRole("button", { name: "Next" }).click();

    await page.getByLabel("Name", { exact: true }).fill("Handbook sync");
    await page.getByLabel("Datasources", { exact: true }).fill("handbook\nnot a name");
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByRole("alert").getByRole("link").click();
    await page.waitForURL(/#target$/);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Handbook sync");
    const target = page.getByLabel("Datasources", { exact: true });
    expect(await target.getAttribute("aria-invalid")).toBe("true");
    await target.fill("handbook");
    await page.getByRole("button", { name: "Create the token" }).click();

    const first = await page.getByLabel("Token", { exact: true }).inputValue();
    expect(await index(first)).toBe(200);
    expect(await page.getByLabel("Command").textContent()).toContain("indexdocument");
    await page.getByRole("link", { name: "I’ve saved it" }).click();
    await page.getByRole("link", { name: "Give Handbook sync a new secret" }).waitFor();
    expect(await page.content()).not.toContain(first);

    await page.getByRole("link", { name: "Give Handbook sync a new secret" }).click();
    await page.getByLabel("End the old secret now").check();
    await page.getByRole("button", { name: "Replace the secret" }).click();
    const second = await page.getByLabel("Token", { exact: true }).inputValue();
    expect(await index(second)).toBe(200);
    await page.getByRole("link", { name: "I’ve saved it" }).click();

    await page.getByRole("link", { name: "Revoke Handbook sync" }).click();
    await page.getByText("in the hour of").waitFor();
    await page.getByRole("button", { name: "Revoke the token" }).click();
    await page.getByRole("status").getByText("revoked").waitFor();
    expect(await page.getByRole("link", { name: "Revoke Handbook sync" }).count()).toBe(0);
    await page.getByLabel("State").selectOption("ended");
    await page.getByRole("button", { name: "Search" }).click();
    const ended = page.getByRole("table", { name: "Tokens" });
    await ended.getByRole("row", { name: /Handbook sync.*Revoked/s }).waitFor();
    expect(await index(second)).toBe(401);
  });

  it("have a button that copies the secret", async () => {
    await using ada = await openConsole("/admin/tokens/new", {
      ...DESKTOP,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page } = ada;
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

  it("can be made by everybody", async () => {
    await using ada = await openConsole("/admin/tokens", ANY_LOOK);
    const { page } = ada;
    const pages = ["", "/new", "/new?purpose=person", "/new?purpose=metadata", "/new?purpose=documents"];
    for (const path of pages) {
      await page.goto(new URL(`/admin/tokens${path}`, page.url()).href);
      await expectUsable(page, `admin-tokens${path.replace(/\W+/g, "-")}`);
    }
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
