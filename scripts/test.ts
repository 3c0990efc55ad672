/**
 * `npm test`: the checks and all tests, in parallel; vitest alone would begin a project only when the one before is done. Tests
 * that use programs and browsers spend half of their time waiting, which tests in workerd use to compute. Arguments are passed to
 * vitest. The output ends with vitest's report of all tests, as after `npx vitest run`.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const results = mkdtempSync(join(tmpdir(), "gatehouse-tests-"));
const given = process.argv.slice(2);

const [checks, ...tests] = await Promise.all([
  run("node", ["scripts/check.ts"]),
  runProjects("node"),
  runProjects("!node"),
]);
const report = await run("vitest", ["run", "--merge-reports", results]);
rmSync(results, { recursive: true });
if (checks !== 0) console.error("\nFailed: npm run check, see above");
process.exitCode = [checks, ...tests, report].some((code) => code !== 0) ? 1 : 0;

/** Runs some projects of vitest.config.ts and keeps their results for the report. */
function runProjects(name: string): Promise<number> {
  const part = { VITEST_PART: join(results, `${name}.json`) };
  return run("vitest", ["run", `--project=${name}`, "--passWithNoTests", ...given], part);
}

/** Runs a program to its end. @returns its exit code */
function run(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...environment } });
  return new Promise<number>((settle, reject) => {
    child.on("error", reject);
    child.on("close", (code) => settle(code ?? 1));
  });
}
