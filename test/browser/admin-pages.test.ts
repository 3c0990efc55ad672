import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openConsole, signInAt } from "../support/node/browser-administrator.ts";
import { authorizeUrl, openBrowser, PHONE, registerApp } from "../support/node/browser-person.ts";
import { openConsent } from "../support/node/consent-page.ts";
import { findings } from "../support/node/findings.ts";
import { BROWSER_ORIGIN, REDIRECT_URI } from "../support/node/gatehouse.ts";
import { expectUsable, expectUsableInBothLooks } from "../support/node/looks.ts";
import { openPlainPage } from "../support/node/plain-pages.ts";

const PATHS = [
  "",
  "/grants",
  "/keys",
  "/keys/rotate",
  "/people",
  "/directories",
  "/audit",
  "/audit/check",
  "/audit/receiver",
  "/connections",
  "/doctor",
];

/** A page of each kind: the overview, a list and a form. */
const IN_BOTH_LOOKS = ["", "/people", "/audit/receiver"];

/** A script that finds the ids and URLs that a page shows without a copy button. */
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

async function expectCopyable(page: Page, subject: string): Promise<void> {
  expect({ subject, withoutCopy: await page.evaluate(WITHOUT_COPY) }).toEqual({ subject, withoutCopy: [] });
}

/** A script that returns the label or text of the focused element, and whether its focus is visible. */
const FOCUSED = `((e) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(e);
  const name = (e.labels?.[0]?.textContent ?? e.textContent).trim();
  return { name, isSeen: e === document.body || (outlineStyle !== "none" && outlineWidth !== "0px") };
})(document.activeElement)`;

/** Presses Tab until an element has the focus. @param name its label or text, or the beginning of that */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press("Tab");
    const { name: focused, isSeen } = await page.evaluate<{ name: string; isSeen: boolean }>(FOCUSED);
    if (!isSeen) throw new Error(`nobody sees that ${focused} has the focus`);
    if (focused.startsWith(name)) return;
  }
  throw new Error(`no Tab leads to ${name}`);
}

/** Skips the navigation with the page's first link. */
async function skipToContent(page: Page): Promise<void> {
  await tabTo(page, "Skip to content");
  await page.keyboard.press("Enter");
  await page.locator("#content:focus").waitFor();
}

describe("pages of the console", () => {
  it("are accessible, fit a phone, and have a copy button for each id and URL", async () => {
    await using ada = await openConsole("/admin", PHONE);
    const { page } = ada;
    for (const path of PATHS) {
      await page.goto(`${BROWSER_ORIGIN}/admin${path}`);
      await expectCopyable(page, path);
      const expectIt = IN_BOTH_LOOKS.includes(path) ? expectUsableInBothLooks : expectUsable;
      await expectIt(page, `admin${path.replaceAll("/", "-")}`);
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

  it("lead to a document's permissions, through the menu on a phone", async () => {
    await using ada = await openConsole("/admin", PHONE);
    const { page } = ada;
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Content", exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole("link", { name: "Content", exact: true }).click();
    await page.getByRole("link", { name: "handbook", exact: true }).waitFor();
    await expectCopyable(page, "content");
    await expectUsable(page, "admin-content");
    await page.getByRole("link", { name: "handbook", exact: true }).click();
    await page.getByRole("link", { name: "Budget of finance" }).waitFor();
    await expectCopyable(page, "datasource");
    await expectUsable(page, "admin-datasource");
    await page.getByRole("link", { name: "Budget of finance" }).click();
    await page.getByText("Group finance").waitFor();
    await expectUsable(page, "admin-document");
  });
});

describe("an administrator", () => {
  it("finds why an app did not connect by the request id on the person's error page", async () => {
    const clientId = await registerApp("Stranded notebook", REDIRECT_URI);
    await using deniz = await openBrowser(PHONE);
    // Connection steps are recorded up to a limit per network, which the apps of the other tests may have reached.
    await deniz.page.setExtraHTTPHeaders({ "CF-Connecting-IP": "203.0.113.7" });
    await deniz.page.goto(authorizeUrl(clientId, "https://elsewhere.example/callback"));
    await deniz.page.getByText("connect again").waitFor();
    await deniz.page.setExtraHTTPHeaders({});
    await expectUsable(deniz.page, "connection-error");
    const requestId = await deniz.page.locator("dd code").first().innerText();

    await using ada = await openConsole("/admin/connections", PHONE);
    const { page } = ada;
    await page.getByLabel("Request id, person’s email, client id or app").fill(requestId);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("heading", { name: "Stranded notebook" }).waitFor();
    await page.getByText("Add the app’s redirect URI").waitFor();
    await expectUsable(page, "admin-connections-found");
  });

  it("finds a person, deactivates and reactivates them, and reads the audit log, without JavaScript", async () => {
    const clientId = await registerApp("Console notebook", REDIRECT_URI);
    await using deniz = await openBrowser();
    await openConsent(deniz.page, authorizeUrl(clientId, REDIRECT_URI), "Deniz");
    await deniz.page.getByText("revoke access at any time in").waitFor();

    await using ada = await openPlainPage("/admin/people");
    await ada.enter({ "Name or email contains": "deniz" });
    await ada.press("Search");
    await ada.follow("Deniz");
    await ada.follow("Deactivate…");
    await ada.press("Deactivate");
    expect(await ada.text("status")).toContain("deactivated");
    await ada.press("Reactivate");
    expect(await ada.text("status")).toContain("can sign in again");

    await ada.follow("Audit log");
    await ada.enter({ About: "person_" });
    await ada.press("Filter");
    expect((await ada.html()).match(/<summary>/g)?.length).toBeGreaterThanOrEqual(2);
    await ada.follow("Check the chain");
    expect(await ada.text()).toContain("The audit is intact");
  });

  it("does the main tasks by keyboard alone", async () => {
    await using ada = await openConsole("/admin");
    const { page } = ada;
    const press = (key: string) => page.keyboard.press(key);
    const type = async (label: string, text: string) => {
      await tabTo(page, label);
      await page.keyboard.type(text);
    };

    // Checking what a person can see.
    await tabTo(page, "People");
    await press("Enter");
    await page.waitForURL(/\/admin\/people$/);
    await skipToContent(page);
    await type("Name or email contains", "ada@acme");
    await press("Enter");
    await page.waitForURL(/search=ada/);
    await skipToContent(page);
    await tabTo(page, "Ada Marlow");
    await press("Enter");
    await page.waitForURL(/\/people\/[^/?]+$/);
    await skipToContent(page);
    await tabTo(page, "Check what they can see");
    await press("Enter");
    await page.waitForURL(/\/access$/);
    await skipToContent(page);
    await type("Document (URL, or datasource:id)", "https://docs.acme.example/budget");
    await press("Enter");
    await page.getByText("Not a member of finance").waitFor();

    // Creating a token for a pipeline.
    await page.goto(`${BROWSER_ORIGIN}/admin/tokens/new`);
    await skipToContent(page);
    await tabTo(page, "Write documents");
    await press("ArrowDown");
    await press("ArrowUp");
    await tabTo(page, "Next");
    await press("Enter");
    await page.waitForURL(/purpose=documents/);
    await skipToContent(page);
    await type("Name", "Keyboard sync");
    await type("Datasources", "keyboard");
    await tabTo(page, "Create the token");
    await press("Enter");
    expect(await page.getByLabel("Token", { exact: true }).inputValue()).toMatch(/./);

    // The phone's menu, which Escape closes. Afterwards Tab still moves through the page.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${BROWSER_ORIGIN}/admin/keys`);
    await tabTo(page, "Menu");
    await press("Enter");
    await tabTo(page, "Overview");
    await press("Escape");
    await page.getByRole("navigation", { name: "Administration" }).waitFor({ state: "hidden" });
    expect(await page.evaluate(FOCUSED)).toMatchObject({ name: "Menu" });
    await tabTo(page, "Rotate…");
    await tabTo(page, "Skip to content");
  });

  it("rotates the signing key after choosing a reason", async () => {
    await using ada = await openConsole("/admin/keys");
    const { page } = ada;
    await page.getByRole("link", { name: "Rotate…" }).click();
    await page.getByLabel("is safe").check();
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("status").getByText("A new key signs").waitFor();
  });

  it("is sent from a page to the sign-in, and back to that page", async () => {
    await using ada = await openBrowser();
    await signInAt(ada.page, BROWSER_ORIGIN, "/admin/audit?event=settings_");
    expect(await ada.page.getByLabel("About").inputValue()).toBe("settings_");
  });
});
