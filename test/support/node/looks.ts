import type { Page } from "playwright-core";
import { expect } from "vitest";
import { keepScreenshot, sidewaysScroll } from "./browser-person.ts";
import { findings } from "./findings.ts";

/**
 * The looks in which pages are checked. A finding depends on the colours or on the width, but never on both, so two looks cover
 * each colour scheme and each width. All other rules find the same in both, except for the little that only a phone shows.
 */
const LOOKS = {
  "light desktop": { viewport: { width: 1200, height: 900 }, colorScheme: "light", rules: "all" },
  "dark phone": { viewport: { width: 390, height: 844 }, colorScheme: "dark", rules: "of colours and widths" },
} as const;

/**
 * Expects that everybody can use what a page shows now, in every look. It begins with the page's current look and ends with the
 * other one, so what follows must not depend on the look.
 *
 * @param page of a `PHONE`, which can take every look as far as pages can tell
 * @param subject the name of what is checked, in failures and of screenshots
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
