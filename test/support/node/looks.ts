import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { DESKTOP, keepScreenshot, PHONE, sidewaysScroll } from "./browser-person.ts";
import { findings } from "./findings.ts";

/** How a page of the console is looked at: light and dark, wide and narrow. */
export const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1200, height: 900 } },
  "dark desktop": { ...DESKTOP, colorScheme: "dark" },
  phone: PHONE,
};

/**
 * Expects that everybody can use what a page shows now, and keeps what it looks like.
 *
 * @param subject what the screenshots are of
 * @param look a name of {@link LOOKS}
 */
export function usabilityOf(page: Page, subject: string, look: string): (title: string) => Promise<void> {
  return async (title) => {
    expect(await findings(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    await keepScreenshot(page, `${subject}-${title}-${look.replace(" ", "-")}`);
  };
}
