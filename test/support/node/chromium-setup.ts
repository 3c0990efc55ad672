import type { TestProject } from "vitest/node";
import { startInBackground } from "./background-start.ts";
import { launchChromium } from "./chromium.ts";

/** One Chromium for all tests; each opens contexts of its own in it, which share nothing. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = await startInBackground(async () => {
    const server = await launchChromium();
    return { told: server.wsEndpoint(), stop: () => server.close() };
  });
  project.provide("chromium", chromium.url);
  return chromium.stop;
}
