import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { DESKTOP, openBrowser } from "./browser-person.ts";
import { BROWSER_ORIGIN } from "./gatehouse.ts";

/** Ada, an administrator of the local organisation, signed in at a page of the console in a Chromium of her own. */
export async function openConsole(browser: Browser, path: string, look: BrowserContextOptions = DESKTOP) {
  const person = await openBrowser(browser, look);
  await signInAt(person.page, path);
  return person;
}

/** Opens one of our own pages as a person who is signed in nowhere yet. */
export async function signInAt(page: Page, path: string, name = "Ada Marlow"): Promise<void> {
  await page.goto(BROWSER_ORIGIN + path);
  await page.getByRole("button", { name }).click();
  await page.waitForURL(BROWSER_ORIGIN + path);
}
