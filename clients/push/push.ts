#!/usr/bin/env node
/** `npm run push`, and `gatehouse-push` where the package is installed. */
import { Failure, reasonOf } from "./failure.ts";
import { HELP, parseOptions } from "./options.ts";
import { run } from "./run.ts";

try {
  const options = parseOptions(process.argv.slice(2), process.env);
  // The environment is inherited by git, which needs no token of ours.
  delete process.env["GATEHOUSE_TOKEN"];
  if (options) process.exitCode = await run(options);
  else console.log(HELP);
} catch (error) {
  console.error(error instanceof Failure ? error.message : `Failed: ${reasonOf(error)}`);
  process.exitCode = error instanceof Failure ? error.exitCode : 1;
}
