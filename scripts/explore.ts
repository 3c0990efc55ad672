/**
 * `npm run explore`: runs all property tests with new cases each time, twenty times as many as `npm test`. A property that fails
 * prints its seed; `SEED=… npm run explore -- <file>` repeats it. Arguments are passed to vitest.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";

const given = process.argv.slice(2);
const withProperties = globSync("test/**/*.test.ts").filter((path) =>
  readFileSync(path, "utf8").includes("fast-check"),
);
const files = given.length > 0 ? given : withProperties;
const env = { SEED: "random", TIMES: "20", ...process.env };
process.exitCode = spawnSync("vitest", ["run", ...files], { stdio: "inherit", env }).status ?? 1;
