import { defineConfig } from "vitest/config";

/** `npm run screenshots`: draws the pictures of the guides, in docs/images, from a Gatehouse that runs for it. */
export default defineConfig({
  test: {
    include: ["bench/screenshots/*.test.ts"],
    globalSetup: ["test/support/node/running-gatehouse.ts", "test/support/node/chromium-setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
