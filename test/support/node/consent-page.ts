import type { Page } from "playwright-core";
import { signInUnseen } from "./unseen-sign-in.ts";

/**
 * Shows a person the consent page of an app's request, in a browser that gets the cookies of the sign-in. To test the way to the
 * page, use `signIn`.
 *
 * @param name of the person, as the SSO shows it
 */
export async function openConsent(page: Page, request: string, name = "Ben Okafor"): Promise<void> {
  const { url, cookies } = await signInUnseen(request, name);
  await page.context().addCookies(cookies);
  await page.goto(url);
}
