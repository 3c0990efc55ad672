import type { TestProject } from "vitest/node";
import { startInBackground } from "./background-start.ts";
import { prepareChromium } from "./chromium.ts";

/** Unpacks the Chromium of the tests once. Each process with browser tests then starts its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = await startInBackground(async () => ({
    told: await prepareChromium(),
    stop: () => Promise.resolve(),
  }));
  project.provide("chromium", chromium.url);
  return chromium.stop;
}
