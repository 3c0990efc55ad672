import { beforeAll, describe, expect, it } from "vitest";
import { signInAt } from "../support/node/browser-administrator.ts";
import { authorizeUrl, openBrowser, PHONE, registerApp } from "../support/node/browser-person.ts";
import { openConsent } from "../support/node/consent-page.ts";
import { BROWSER_ORIGIN, REDIRECT_URI } from "../support/node/gatehouse.ts";
import { expectUsable, expectUsableInBothLooks } from "../support/node/looks.ts";

let clientId: string;

beforeAll(async () => {
  clientId = await registerApp("Notebook", REDIRECT_URI);
});

describe("accessibility checks", () => {
  it("find no fault in the welcome page, whose button copies the URL to the clipboard", async () => {
    await using person = await openBrowser(PHONE);
    const { context, page } = person;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(BROWSER_ORIGIN);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`${BROWSER_ORIGIN}/mcp`);
    await expectUsable(page, "welcome");
  });

  it("find no fault in the consent page", async () => {
    await using person = await openBrowser(PHONE);
    await openConsent(person.page, authorizeUrl(clientId, REDIRECT_URI));
    await expectUsableInBothLooks(person.page, "consent");
  });

  it("find no fault in the search page: empty, with results and filters, and without results", async () => {
    await using ben = await openBrowser(PHONE);
    const { page } = ben;
    await signInAt(page, BROWSER_ORIGIN, "/search", "Ben Okafor");
    await expectUsable(page, "search");
    await page.getByLabel("Search for").fill("token");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Results 1 to").waitFor();
    await page.getByRole("link", { name: "Page", exact: true }).click();
    await page.getByRole("link", { name: "Remove the filter Type: Page" }).waitFor();
    await expectUsableInBothLooks(page, "search-results");
    await page.getByLabel("Search for").fill("zzzzzz");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("No documents found.").waitFor();
    await expectUsable(page, "search-nothing");
  });

  it("find no fault in suggestions, which the keyboard can choose and leave", async () => {
    await using ben = await openBrowser(PHONE);
    const { page } = ben;
    await signInAt(page, BROWSER_ORIGIN, "/search", "Ben Okafor");
    const field = page.getByRole("combobox", { name: "Search for" });
    await field.pressSequentially("handb");
    const option = page.getByRole("option").first();
    await option.waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await option.getAttribute("aria-selected")).toBe("true");
    expect(await field.getAttribute("aria-activedescendant")).toBe(await option.getAttribute("id"));
    await expectUsable(page, "search-suggestions");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("listbox").count()).toBe(0);
    await field.pressSequentially("o");
    await option.waitFor();
    await page.keyboard.press("ArrowDown");
    const url = await option.getAttribute("data-url");
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.isNavigationRequest()),
      page.keyboard.press("Enter"),
    ]);
    expect(request.url()).toBe(url);
  });

  it("find no fault in a document's page", async () => {
    await using ben = await openBrowser(PHONE);
    await signInAt(ben.page, BROWSER_ORIGIN, "/documents/handbook/handbook", "Ben Okafor");
    await ben.page.getByRole("heading", { name: "Handbook for everybody" }).waitFor();
    await expectUsable(ben.page, "document");
  });

  it("find no fault in an error page", async () => {
    await using person = await openBrowser(PHONE);
    await person.page.goto(authorizeUrl("nobody-knows-this-client", REDIRECT_URI));
    await expectUsable(person.page, "error");
  });
});
