import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { JsonReporter } from "vitest/node";
import { readSchema, recordOf } from "./scripts/admin/schema-files.ts";
import { bundledSource } from "./test/support/node/bundled-source.ts";
import { databaseWorker } from "./test/support/node/database-worker.ts";
import { memoryFolder } from "./test/support/node/memory-folder.ts";
import { ProgressReporter } from "./test/support/node/progress-reporter.ts";
import { TimeReporter } from "./test/support/node/time-reporter.ts";
import { uncompressedSockets } from "./test/support/node/uncompressed-sockets.ts";
import { WaitingFirst } from "./test/support/node/waiting-first.ts";

/** Tests that use the Worker, its scripts or its source from outside, and so run in Node. */
const inNode = ["test/{end-to-end,browser,house,scripts,push}/**/*.test.ts"];

/** Tests of rules over an SQLite store, which Node has too, so nothing has to be started for them. */
const overSqlite = ["test/documents/**/*.test.ts"];

/**
 * Returns the Worker's runtime, with the bindings of wrangler.toml and those that tests add.
 *
 * @param database where the Worker's tables are: in D1 itself, or in an object that is just as good for tests and faster
 */
export async function workerd(database: "d1" | "object") {
  const { cloudflareTest } = await import("@cloudflare/vitest-pool-workers");
  const files = await readSchema();
  const schema = [...files.whole, recordOf(files)];
  const runtime = cloudflareTest({
    wrangler: { configPath: "wrangler.toml" },
    miniflare: {
      workers: [databaseWorker(schema)],
      durableObjects: { TEST_DATABASES: { className: "TestDatabaseObject", scriptName: "database", useSQLite: true } },
      bindings: {
        DATABASE: database,
        LOCAL_DEVELOPMENT: "true",
        MASTER_KEYS: `test:${Buffer.alloc(32, "test").toString("base64url")}`,
        SCHEMA: schema,
      },
    },
  });
  return [runtime, bundledSource("workerd")];
}

// Databases of tests needn't be durable. In memory, none of their thousands of writes waits for a disk.
process.env["TMPDIR"] = memoryFolder() ?? tmpdir();

// Tests start some fifty Node programs, and most of a start is compiling wrangler and similar code.
process.env["NODE_COMPILE_CACHE"] ??= resolve("node_modules/.cache/node");

uncompressedSockets();

/** As many as CI has cores. `npm test` runs two parts at once, so there is work while files wait for programs and browsers. */
const WORKERS = 2;

/**
 * Properties try the same cases in each run of `npm test`. Otherwise a rare case could fail for a change that has nothing to do
 * with it. `SEED=7` selects other cases, `SEED=random` new ones for each property, and `TIMES=20` twenty times as many: `npm run
 * explore`.
 */
const { SEED = "20261122", TIMES = "1" } = process.env;
const properties = { seed: SEED === "random" ? null : Number(SEED), times: Number(TIMES) };

/** Options of all projects. */
const SHARED = {
  provide: { properties },
  isolate: false,
  maxWorkers: WORKERS,
  // No test asserts a duration, so a busy machine is no reason to fail.
  testTimeout: 120_000 * properties.times,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
};

/** The file that configures property tests. */
const SETUP = "test/support/properties.ts";

/** The projects that the command line names; none means all of them. */
const NAMED = process.argv.flatMap((word, at) => {
  if (word === "--project") return process.argv[at + 1] ?? [];
  return word.startsWith("--project=") ? word.slice("--project=".length) : [];
});

/** Loading workerd's runtime takes half a second, even if nothing runs in it. */
const runsInWorkerd =
  !process.argv.includes("--merge-reports") &&
  (NAMED.length === 0 || NAMED.some((name) => !["node", "documents"].includes(name)));

/** The file for results as JSON, which CI counts. */
const RESULTS = process.env["VITEST_RESULTS"];

/** The file in which scripts/test.ts expects the results of a part of the projects. */
const PART = process.env["VITEST_PART"];

const REPORTERS = [
  "default",
  new TimeReporter(),
  ...(RESULTS === undefined ? [] : [new JsonReporter({ outputFile: RESULTS })]),
];

export default defineConfig({
  test: {
    // The Worker's log lines only help if a test fails.
    silent: "passed-only",
    sequence: { sequencer: WaitingFirst },
    reporters: PART === undefined ? REPORTERS : [["blob", { outputFile: PART }], new ProgressReporter()],
    projects: [
      {
        plugins: runsInWorkerd ? [workerd(process.env["DATABASE"] === "d1" ? "d1" : "object")] : [],
        test: {
          name: "workerd",
          include: ["test/**/*.test.ts"],
          exclude: [...inNode, ...overSqlite, "test/rehearsal/**"],
          globalSetup: ["test/support/node/sso-setup.ts", "test/support/node/issuers-setup.ts"],
          // Each worker has one workerd for all of its files; apply-schema.ts separates them.
          setupFiles: [SETUP, "test/support/apply-schema.ts"],
          ...SHARED,
          restoreMocks: true,
          unstubGlobals: true,
          // With this cache on, vitest 5.1 loses the source maps of modules in workerd, and failures name wrong lines.
          fsModuleCache: false,
        },
      },
      {
        test: {
          name: "documents",
          include: overSqlite,
          setupFiles: [SETUP, "test/support/node/scheduler-setup.ts"],
          ...SHARED,
          restoreMocks: true,
        },
      },
      {
        plugins: [bundledSource("node")],
        test: {
          name: "node",
          include: inNode,
          globalSetup: ["test/support/node/running-gatehouse.ts", "test/support/node/chromium-setup.ts"],
          setupFiles: [SETUP],
          // Files share processes, and with them their imports and the browser.
          ...SHARED,
        },
      },
    ],
  },
});
