import { inject } from "vitest";
import { whenStarted } from "./background-start.ts";
import { type ChromiumFolder, launchChromium } from "./chromium.ts";

/**
 * The Chromium for all tests of this process. Each test opens its own contexts in it, which share nothing. One Chromium for all
 * processes would cost more than it saves, because all commands and results would pass through another process.
 */
export const browser = await launchChromium(await whenStarted<ChromiumFolder>(inject("chromium")));
