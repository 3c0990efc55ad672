/** `npm run admin`: everything that an administrator can do from the command line, locally or for a deployment. */
import { createInterface } from "node:readline/promises";
import { pathToFileURL } from "node:url";
import type { AdminContext, AdminOutcome } from "./admin/context.ts";
import { exitCodeOf, explainFailure, leaveOutLog } from "./admin/failures.ts";
import type { OpenDatabase } from "./admin/database.ts";
import { localPlace, remotePlace } from "./admin/place.ts";
import { runCommand } from "./admin/program.ts";
import { requestWorker } from "./admin/worker-request.ts";

export type { AdminContext, AdminOutcome } from "./admin/context.ts";

/**
 * The context of commands that run locally. The first command that needs the database opens it, and `dispose` closes it. Call
 * `dispose` before you start a Worker, which then has the database to itself.
 *
 * @param folder the folder of another `wrangler.toml`, which has its own database; absent: the current folder
 * @param address the address of its Worker, with `{instance}` in place of the name; absent: the one that `npm start` uses
 */
export function openLocalAdmin(folder = ".", address?: string): AdminContext & { dispose(): Promise<void> } {
  const place = localPlace(folder, address);
  let database: Promise<OpenDatabase> | undefined;
  const openOnce = async () => ({ ...(await (database ??= place.openDatabase())), close: () => Promise.resolve() });
  return {
    ...terminal,
    placeOf: () => ({ address: place.address, masterKeys: place.masterKeys, openDatabase: openOnce }),
    // A database that could not be opened has already been reported by the command that needed it.
    dispose: async () => (await database?.catch(() => undefined))?.close(),
  };
}

/**
 * Runs one command.
 *
 * @param args the words of the command line, such as `["oauth", "enable", "acme"]`
 * @returns the command's result, as `--json` prints it
 * @throws {UsageError} and the errors of the rules, which {@link explainFailure} turns into a sentence
 */
export async function runAdmin(args: readonly string[], context: AdminContext): Promise<AdminOutcome> {
  return (await runCommand(args, context)) as AdminOutcome;
}

/** Prints the output of commands. */
const terminal = {
  print: (line: string) => console.log(line),
  complain: (line: string) => console.error(line),
  send: requestWorker,
};

/** Asks on standard error, because standard output may be redirected to a file. */
async function ask(question: string): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await prompt.question(question);
  } finally {
    prompt.close();
  }
}

async function main(args: readonly string[]): Promise<number> {
  leaveOutLog();
  const local = localPlace(".");
  try {
    const context = { ...terminal, placeOf: (isRemote: boolean) => (isRemote ? remotePlace() : local) };
    await runAdmin(args, process.stdin.isTTY ? { ...context, ask } : context);
    return 0;
  } catch (error) {
    console.error(explainFailure(error));
    return exitCodeOf(error);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // The reader may close the pipe early, as `head` does. That is not a failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  process.exit(await main(process.argv.slice(2)));
}
