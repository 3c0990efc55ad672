/**
 * `npm run check`: format, types, lint and unused code, in parallel. The output of each check is printed in one piece.
 */
import { spawn } from "node:child_process";

const CHECKS: Readonly<Record<string, string>> = {
  format: "biome format",
  // One checker for each of the two projects, which are built in parallel: with more, each would check the shared types again.
  types: "tsc --build --checkers 1",
  lint: "oxlint",
  "unused code": "knip",
};

/**
 * The compiler and the linter, which calls it, are written in Go and end before garbage collection pays off: 1.4 GB at most.
 */
const ENVIRONMENT = { ...process.env, GOGC: "off" };

const started = Object.entries(CHECKS).map(([name, command]) => run(name, command));
const failed = (await Promise.all(started)).filter(({ exitCode }) => exitCode !== 0).map(({ name }) => name);
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

/** Runs one check to its end and prints its output. */
function run(name: string, command: string): Promise<{ name: string; exitCode: number }> {
  const startedAt = performance.now();
  const check = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"], env: ENVIRONMENT });
  const output: Buffer[] = [];
  for (const stream of [check.stdout, check.stderr]) stream.on("data", (part: Buffer) => output.push(part));
  return new Promise((settle) => {
    check.on("close", (code) => {
      const exitCode = code ?? 1;
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      console.log(`${exitCode === 0 ? "passed" : "FAILED"}  ${name} (${command}), ${seconds} s`);
      if (exitCode !== 0) process.stdout.write(Buffer.concat(output));
      settle({ name, exitCode });
    });
  });
}
