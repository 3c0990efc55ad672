import type { Page } from "playwright-core";
import { expect } from "vitest";
import { keepScreenshot, sidewaysScroll } from "./browser-person.ts";
import { findings } from "./findings.ts";

/**
 * How a page is looked at. A finding depends on the colours or on the width, if on either, so two looks meet each
 * colour scheme and each width once. All other rules find the same in both, but for the little that only a phone shows.
 */
const LOOKS = {
  "light desktop": { viewport: { width: 1200, height: 900 }, colorScheme: "light", rules: "all" },
  "dark phone": { viewport: { width: 390, height: 844 }, colorScheme: "dark", rules: "of colours and widths" },
} as const;

/**
 * Expects that everybody can use what a page shows now, in every look. It begins with the look that the page has, and leaves it in
 * another: what comes next must not depend on it.
 *
 * @param page of a `PHONE`, which takes every look as far as pages can tell
 * @param subject what is looked at, in failures and on screenshots
 */
export async function expectUsable(page: Page, subject: string): Promise<void> {
  const looks = Object.entries(LOOKS);
  if (page.viewportSize()?.width === LOOKS["dark phone"].viewport.width) looks.reverse();
  for (const [look, { viewport, colorScheme, rules }] of looks) {
    await Promise.all([page.setViewportSize(viewport), page.emulateMedia({ colorScheme })]);
    const [found, sideways] = await Promise.all([findings(page, rules), sidewaysScroll(page)]);
    expect({ subject, look, findings: found, sideways }).toEqual({ subject, look, findings: [], sideways: 0 });
    await keepScreenshot(page, `${subject}-${look.replace(" ", "-")}`);
  }
}
