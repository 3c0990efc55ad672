import { chromium } from "playwright-core";
import { inject } from "vitest";
import { whenStarted } from "./background-start.ts";

/** The Chromium that all tests share. */
export const browser = await chromium.connect(await whenStarted<string>(inject("chromium")));
