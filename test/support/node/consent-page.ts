import type { Page } from "playwright-core";
import { signInUnseen } from "./unseen-sign-in.ts";

/**
 * Shows a person the consent page of an app's request. Their browser gets the cookies of the sign-in, and opens the page. For a test of
 * the way there, see `signIn`.
 *
 * @param name of the person, as the SSO shows it
 */
export async function openConsent(page: Page, request: string, name = "Ben Okafor"): Promise<void> {
  const { url, cookies } = await signInUnseen(request, name);
  await page.context().addCookies(cookies);
  await page.goto(url);
}
