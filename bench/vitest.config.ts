import { defineConfig } from "vitest/config";
import { bundledSource } from "../test/support/node/bundled-source.ts";
import { workerd } from "../vitest.config.ts";

/** What takes too long for `npm test`: `npm run rehearse`, `npm run races` and `npm run fuzz`. */
export default defineConfig({
  test: {
    projects: [
      // Only D1 itself shows how two simultaneous requests turn out.
      { plugins: [workerd("d1")], test: { name: "races", include: ["bench/races.test.ts"], ...shared() } },
      { plugins: [workerd("object")], test: { name: "fuzz", include: ["bench/fuzz.test.ts"], ...shared() } },
      { plugins: [bundledSource("node")], test: { name: "rehearsal", include: ["test/rehearsal/*.test.ts"] } },
    ],
  },
});

function shared() {
  return {
    globalSetup: ["test/support/node/sso-setup.ts", "test/support/node/issuers-setup.ts"],
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
  };
}
