import type { BrowserContextOptions, Page } from "playwright-core";
import { DESKTOP, openBrowser } from "./browser-person.ts";
import { BROWSER_ORIGIN } from "./gatehouse.ts";
import { type Cookies, signInUnseen } from "./unseen-sign-in.ts";

/** Ada's session at each instance. She signs in once, and every browser gets her cookies. */
const sessions = new Map<string, Promise<Cookies>>();

/** Opens a page of the console as Ada, an administrator of the local organisation. */
export async function openConsole(path: string, look: BrowserContextOptions = DESKTOP, origin = BROWSER_ORIGIN) {
  const session = sessions.get(origin) ?? signInOnce(origin);
  sessions.set(origin, session);
  const person = await openBrowser(look);
  await person.context.addCookies(await session);
  await person.page.goto(origin + path);
  return person;
}

async function signInOnce(origin: string): Promise<Cookies> {
  return (await signInUnseen(`${origin}/admin`, "Ada Marlow", { name: "begin", value: "yes" })).cookies;
}

/** Opens one of our own pages as a person who isn't signed in anywhere yet. */
export async function signInAt(page: Page, origin: string, path: string, name = "Ada Marlow"): Promise<void> {
  await page.goto(origin + path);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name }).click();
  await page.waitForURL(origin + path);
}
