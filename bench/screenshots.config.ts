import { defineConfig } from "vitest/config";

/** `npm run screenshots`: takes the screenshots of the guides, in docs/images, of a Gatehouse that runs for this. */
export default defineConfig({
  test: {
    include: ["bench/screenshots/*.test.ts"],
    globalSetup: ["bench/screenshots/gatehouse-setup.ts", "test/support/node/chromium-setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
