import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  authorizeUrl,
  DESKTOP,
  keepScreenshot,
  openBrowser,
  PHONE,
  registerApp,
  sidewaysScroll,
  signIn,
} from "../support/node/browser-person.ts";
import { launchChromium } from "../support/node/chromium.ts";
import { findings } from "../support/node/findings.ts";
import { BROWSER_ORIGIN, REDIRECT_URI } from "../support/node/gatehouse.ts";

let browser: Browser;
let clientId: string;

beforeAll(async () => {
  [browser, clientId] = await Promise.all([launchChromium(), registerApp("Notebook", REDIRECT_URI)]);
});

afterAll(() => browser?.close());

const LOOKS: Record<string, BrowserContextOptions> = {
  "a laptop": DESKTOP,
  "a laptop in the dark": { ...DESKTOP, colorScheme: "dark" },
  "a phone": PHONE,
};

describe.each(Object.entries(LOOKS))("on %s, everybody can use", (_name, look) => {
  it("the welcome page", async () => {
    await using person = await openBrowser(browser, look);
    await person.page.goto(BROWSER_ORIGIN);
    expect(await findings(person.page)).toEqual([]);
    expect(await sidewaysScroll(person.page)).toBe(0);
    if (look === DESKTOP) await keepScreenshot(person.page, "welcome-desktop");
  });

  it("the consent page", async () => {
    await using person = await openBrowser(browser, look);
    await signIn(person.page, authorizeUrl(clientId, REDIRECT_URI));
    expect(await findings(person.page)).toEqual([]);
  });

  it("an error page", async () => {
    await using person = await openBrowser(browser, look);
    await person.page.goto(authorizeUrl("nobody-knows-this-client", REDIRECT_URI));
    expect(await findings(person.page)).toEqual([]);
    expect(await sidewaysScroll(person.page)).toBe(0);
  });
});
