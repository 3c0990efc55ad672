import { defineConfig } from "vitest/config";
import { workerd } from "../vitest.config.ts";

/** The proofs that take minutes, and so are no part of `npm test`: `npm run races`, `npm run fuzz`. */
export default defineConfig({
  plugins: [workerd("d1")],
  test: {
    include: ["bench/*.test.ts"],
    globalSetup: ["test/support/node/sso-setup.ts"],
    setupFiles: ["test/support/apply-schema.ts"],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    fsModuleCache: false,
    provide: {
      rounds: Number(process.env["ROUNDS"] ?? 1000),
      requests: Number(process.env["REQUESTS"] ?? 20_000),
      seed: Number(process.env["SEED"] ?? Date.now() % 2 ** 32),
    },
  },
});
