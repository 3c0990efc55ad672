import { inject } from "vitest";
import { whenStarted } from "./background-start.ts";
import { type ChromiumFolder, launchChromium } from "./chromium.ts";

/**
 * The Chromium of all tests of this process; each opens contexts of its own in it, which share nothing. One for all processes would
 * cost more than it saves: all that it is told and answers would go through a process between.
 */
export const browser = await launchChromium(await whenStarted<ChromiumFolder>(inject("chromium")));
