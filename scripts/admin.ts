/** `npm run admin`: all that an administrator can do, from the command line, on the local database or a deployed one. */
import { pathToFileURL } from "node:url";
import { findCommand, HELP } from "./admin/commands.ts";
import { type AdminContext, type AdminOutcome, explainFailure, leaveOutLog, UsageError } from "./admin/context.ts";
import { openDatabase } from "./admin/database.ts";

export type { AdminContext, AdminOutcome } from "./admin/context.ts";

/**
 * Opens the local database, the one that `npm start` serves.
 *
 * @param folder absent: here; else the folder of another `wrangler.toml`, which has a database of its own
 */
export function openLocalAdmin(folder?: string): Promise<AdminContext & { dispose(): Promise<void> }> {
  return openDatabase({ remote: false, folder });
}

/**
 * Runs one command.
 *
 * @param args the words of the command line, such as `["oauth", "enable", "acme"]`
 * @throws {UsageError} and the errors of the rules, which {@link explainFailure} turns into a sentence
 */
export async function runAdmin(args: readonly string[], context: AdminContext): Promise<AdminOutcome> {
  const { words, command } = requireCommand(args);
  return command.run(args.slice(words), context);
}

function requireCommand(args: readonly string[]) {
  const found = findCommand(args);
  if (!found) throw new UsageError(`There is no command "${args.join(" ")}". See: npm run admin -- help`);
  return found;
}

const NO_DATABASE =
  "--remote is for commands that open the database: to call a deployed Worker, use --url https://{instance}-be.example.com";

async function main(args: readonly string[]): Promise<number> {
  const words = args.filter((word) => word !== "--remote");
  if (words.length === 0 || words[0] === "help" || words.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  leaveOutLog();
  const remote = words.length !== args.length;
  let database: Awaited<ReturnType<typeof openDatabase>> | undefined;
  try {
    // Whoever mistypes a command learns it before a database, perhaps a remote one, is opened.
    const { words: named, command } = requireCommand(words);
    if ("asksApi" in command) {
      if (remote) throw new UsageError(NO_DATABASE);
      await command.run(words.slice(named), { print: (line) => console.log(line) });
      return 0;
    }
    database = await openDatabase({ remote });
    await runAdmin(words, database);
    return 0;
  } catch (error) {
    console.error(explainFailure(error));
    return 1;
  } finally {
    await database?.dispose();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // Whoever reads the output may have read enough, as `head` does: that is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  process.exit(await main(process.argv.slice(2)));
}
