import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openConsole, signInAt } from "../support/node/browser-administrator.ts";
import { authorizeUrl, DESKTOP, openBrowser, PHONE, registerApp } from "../support/node/browser-person.ts";
import { BROWSER_ORIGIN, REDIRECT_URI } from "../support/node/gatehouse.ts";
import { ANY_LOOK, expectUsable } from "../support/node/looks.ts";

const PATHS = [
  "",
  "/grants",
  "/keys",
  "/keys/rotate",
  "/people",
  "/directories",
  "/content",
  "/content/packages",
  "/audit",
  "/audit/check",
  "/audit/receiver",
  "/connections",
  "/doctor",
];

/** What a page shows that somebody copies, such as an id, without a button for that. */
const WITHOUT_COPY = `(() => {
  const isId = /(^|\\s)([\\w-]{22}|[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}|https?:\\/\\/[^\\s]+:\\d+[^\\s]*)(\\s|$)/;
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { parentElement, data } = texts.currentNode;
    if (!isId.test(data) || parentElement.closest("bdi, details, option, textarea, code.word, .findings p")) continue;
    const shown = parentElement.closest("code, pre") ?? parentElement;
    if (!shown.nextElementSibling?.matches("button.copy")) found.push(data.trim());
  }
  return found;
})()`;

/** Presses Tab until the thing with a label or text has the focus. @param after what has to have it before */
async function tabTo(page: Page, name: string, { after }: { readonly after?: string } = {}): Promise<void> {
  if (after !== undefined) await tabTo(page, after);
  const focused = "((e) => (e.labels?.[0]?.textContent ?? e.textContent).trim())(document.activeElement)";
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(focused)) === name) return;
  }
  throw new Error(`no Tab leads to ${name}`);
}

describe("the console's pages", () => {
  it("can be used by everybody", async () => {
    await using ada = await openConsole("/admin", ANY_LOOK);
    const { page } = ada;
    for (const path of PATHS) {
      await page.goto(`${BROWSER_ORIGIN}/admin${path}`);
      expect({ path, withoutCopy: await page.evaluate(WITHOUT_COPY) }).toEqual({ path, withoutCopy: [] });
      await expectUsable(page, `admin${path.replaceAll("/", "-")}`);
    }
    await page.goto(`${BROWSER_ORIGIN}/admin/people`);
    await page.getByRole("link", { name: "Ada Marlow" }).last().click();
    await page.waitForURL(/\/people\/[^/]+$/);
    await expectUsable(page, "admin-person");
    await page.getByRole("link", { name: "Check what they can see" }).click();
    await page.getByLabel("Document").fill("https://docs.acme.example/budget");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("Not a member of finance").waitFor();
    await expectUsable(page, "admin-access");
  });

  it("lead to a document's permissions, on a phone by its menu", async () => {
    await using ada = await openConsole("/admin", { ...PHONE, hasAxe: true });
    const { page } = ada;
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Content", exact: true }).click();
    await page.getByRole("link", { name: "packages" }).waitFor();
    await expectUsable(page, "admin-content");
    await page.getByRole("link", { name: "packages" }).click();
    await page.getByRole("link", { name: "Budget of finance" }).waitFor();
    await expectUsable(page, "admin-datasource");
    await page.getByRole("link", { name: "Budget of finance" }).click();
    await page.getByText("Group finance").waitFor();
    await expectUsable(page, "admin-document");
  });
});

describe("an administrator", () => {
  it("finds why an app did not connect, by the id on the person's page", async () => {
    const clientId = await registerApp("Stranded notebook", REDIRECT_URI);
    await using deniz = await openBrowser(ANY_LOOK);
    await deniz.page.goto(authorizeUrl(clientId, "https://elsewhere.example/callback"));
    await deniz.page.getByText("connect again").waitFor();
    await expectUsable(deniz.page, "connection-error");
    const requestId = await deniz.page.locator("dd code").first().innerText();

    await using ada = await openConsole("/admin/connections", ANY_LOOK);
    const { page } = ada;
    await page.getByLabel("Request id, client id or app").fill(requestId);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("heading", { name: "Stranded notebook" }).waitFor();
    await page.getByText("Add the app’s redirect URI").waitFor();
    await expectUsable(page, "admin-connections-found");
  });

  it("finds what a person allowed and ends it, without JavaScript", async () => {
    const clientId = await registerApp("Console notebook", REDIRECT_URI);
    await using deniz = await openBrowser();
    await deniz.page.goto(authorizeUrl(clientId, REDIRECT_URI));
    await deniz.page.getByRole("button", { name: "Deniz" }).click();
    await deniz.page.waitForURL(/\/oauth\/consent\?/);
    await deniz.page.getByText("revoke access at any time in").waitFor();

    await using ada = await openConsole("/admin/people", { ...DESKTOP, javaScriptEnabled: false });
    const { page } = ada;
    await page.getByLabel("Name or email contains").fill("deniz");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: /Deniz/ }).click();
    await page.getByRole("button", { name: "Deactivate…", exact: true }).click();
    await page.getByRole("button", { name: "Yes, deactivate" }).click();
    await page.getByRole("status").getByText("deactivated").waitFor();
    await page.getByRole("button", { name: "Reactivate" }).click();
    await page.getByRole("status").getByText("can sign in again").waitFor();

    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByLabel("About").selectOption("person_");
    await page.getByRole("button", { name: "Filter" }).click();
    expect(await page.getByRole("row").count()).toBeGreaterThanOrEqual(3);
    await page.getByRole("link", { name: "Check the chain" }).click();
    await page.getByRole("heading", { name: "The audit is intact" }).waitFor();
  });

  it("goes through the pages by keyboard, past the navigation", async () => {
    await using ada = await openConsole("/admin");
    const { page } = ada;
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
  });

  it("checks what somebody can see by keyboard alone", async () => {
    await using ada = await openConsole("/admin");
    const { page } = ada;
    await tabTo(page, "People");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/admin\/people$/);
    await tabTo(page, "Name or email contains");
    await page.keyboard.type("ada@acme");
    await page.keyboard.press("Enter");
    await page.waitForURL(/search=ada/);
    await tabTo(page, "Ada Marlow", { after: "Reset" });
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/people\/[^/?]+$/);
    await tabTo(page, "Check what they can see");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/access$/);
    await tabTo(page, "Document (URL, or datasource:id)");
    await page.keyboard.type("https://docs.acme.example/budget");
    await page.keyboard.press("Enter");
    await page.getByText("Not a member of finance").waitFor();
  });

  it("rotates the signing key after saying why", async () => {
    await using ada = await openConsole("/admin/keys");
    const { page } = ada;
    await page.getByRole("link", { name: "Rotate…" }).click();
    await page.getByLabel("is safe").check();
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("status").getByText("A new key signs").waitFor();
  });

  it("is led to the sign-in from any page, and back", async () => {
    await using ada = await openBrowser();
    await signInAt(ada.page, BROWSER_ORIGIN, "/admin/audit?event=settings_");
    expect(await ada.page.getByLabel("About").inputValue()).toBe("settings_");
  });
});
