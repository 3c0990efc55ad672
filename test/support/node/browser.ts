import { chromium } from "playwright-core";
import { inject } from "vitest";

/** The Chromium that all tests share. */
export const browser = await chromium.connect(inject("chromium"));
