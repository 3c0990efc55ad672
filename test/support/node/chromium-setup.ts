import type { TestProject } from "vitest/node";
import { launchChromium } from "./chromium.ts";

/** One Chromium for all tests; each opens contexts of its own in it, which share nothing. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await launchChromium();
  project.provide("chromium", server.wsEndpoint());
  return () => server.close();
}
