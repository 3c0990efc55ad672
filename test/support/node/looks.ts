import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type BrowserKind, keepScreenshot, sidewaysScroll } from "./browser-person.ts";
import { findings } from "./findings.ts";

/**
 * How a page is looked at. A finding depends on the colours or on the width, if on either, so two looks meet each
 * colour scheme and each width once. All other rules find the same in both, but for the little that only a phone shows.
 */
const LOOKS = {
  "light desktop": { viewport: { width: 1200, height: 900 }, colorScheme: "light", rules: "all" },
  "dark phone": { viewport: { width: 390, height: 844 }, colorScheme: "dark", rules: "of colours and widths" },
} as const;

/** A browser that is a phone's as far as pages can tell, and so takes both looks. */
export const ANY_LOOK: BrowserKind = { isMobile: true, hasTouch: true, hasAxe: true };

/**
 * Expects that everybody can use what a page shows now, in every look.
 *
 * @param page of a context with {@link ANY_LOOK}
 * @param subject what is looked at, in failures and on screenshots
 */
export async function expectUsable(page: Page, subject: string): Promise<void> {
  for (const [look, { viewport, colorScheme, rules }] of Object.entries(LOOKS)) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const seen = { findings: await findings(page, rules), sideways: await sidewaysScroll(page) };
    expect({ subject, look, ...seen }).toEqual({ subject, look, findings: [], sideways: 0 });
    await keepScreenshot(page, `${subject}-${look.replace(" ", "-")}`);
  }
}
