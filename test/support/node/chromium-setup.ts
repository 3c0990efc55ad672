import type { TestProject } from "vitest/node";
import { startInBackground } from "./background-start.ts";
import { prepareChromium } from "./chromium.ts";

/** Unpacks the Chromium of the tests once, before each process that has a test with pages starts its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = await startInBackground(async () => ({
    told: await prepareChromium(),
    stop: () => Promise.resolve(),
  }));
  project.provide("chromium", chromium.url);
  return chromium.stop;
}
