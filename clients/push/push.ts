#!/usr/bin/env node
/** `npm run push`, and `gatehouse-push` where the package is installed. */
import { createInterface } from "node:readline/promises";
import { Failure, reasonOf } from "./failure.ts";
import { HELP, parseOptions } from "./options.ts";
import { run } from "./run.ts";

try {
  const options = parseOptions(process.argv.slice(2), process.env);
  // The environment is inherited by git, which needs no token of ours.
  delete process.env["GATEHOUSE_TOKEN"];
  if (options) process.exitCode = await run(options, console.log, asker());
  else console.log(HELP);
} catch (error) {
  console.error(error instanceof Failure ? error.message : `Failed: ${reasonOf(error)}`);
  process.exitCode = error instanceof Failure ? error.exitCode : 1;
}

/** Returns a function that asks the person at the terminal; `undefined`: nobody is there to answer, as in CI. */
function asker(): ((question: string) => Promise<string>) | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY || process.env["CI"]) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await terminal.question(question);
    } finally {
      terminal.close();
    }
  };
}
