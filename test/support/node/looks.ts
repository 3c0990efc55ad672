import type { Page } from "playwright-core";
import { expect } from "vitest";
import { keepScreenshot, sidewaysScroll } from "./browser-person.ts";
import { findings } from "./findings.ts";

/**
 * Expects that everybody can use what a page shows now, on a phone in light colours. `test/house/contrasts.test.ts` checks that the
 * colours of both palettes can be read, so dark pages don't need to be opened.
 *
 * @param subject the name of what is checked, in failures and of screenshots
 */
export async function expectUsable(page: Page, subject: string): Promise<void> {
  const [found, sideways] = await Promise.all([findings(page), sidewaysScroll(page)]);
  expect({ subject, findings: found, sideways }).toEqual({ subject, findings: [], sideways: 0 });
  await keepScreenshot(page, subject);
}

/** Expects the same of a dark desktop. Used for a page of each kind: all others have the same frame and the same parts. */
export async function expectUsableInBothLooks(page: Page, subject: string): Promise<void> {
  await expectUsable(page, subject);
  const before = page.viewportSize();
  await Promise.all([page.setViewportSize({ width: 1200, height: 900 }), page.emulateMedia({ colorScheme: "dark" })]);
  await expectUsable(page, `${subject}-dark-desktop`);
  await Promise.all([before && page.setViewportSize(before), page.emulateMedia({ colorScheme: "light" })]);
}
