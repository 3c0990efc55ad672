import { type AdminContext, type AdminOutcome, openLocalAdmin, runAdmin } from "../admin.ts";
import { explainFailure } from "../admin/failures.ts";
import { ConfigurationError } from "#platform/configuration.ts";
import { PlainError, START_AFRESH } from "./plain-error.ts";

export const SSO_CLIENT_ID = "gatehouse";

type Command = readonly string[];

/** The folder that local commands work in, and how they are shown. */
interface Bench {
  /** The folder of another `wrangler.toml`; absent: the developer's own database. */
  readonly folder?: string;
  readonly print?: (line: string) => void;
}

/**
 * Creates the tables and the instance "acme". No Worker can do that, so it happens before one starts. Running it again changes
 * nothing.
 *
 * @throws {PlainError} if the local state is unusable.
 */
export async function makeAcme({ folder, print = console.log }: Bench = {}): Promise<void> {
  const admin = openLocalAdmin(folder);
  try {
    for (const command of ["schema apply", "instance create acme --admin ada@acme.example --if-absent"]) {
      await show(command.split(" "), admin, print);
    }
  } catch (error) {
    unusable(error);
  } finally {
    await admin.dispose();
  }
}

/**
 * Configures the instance with admin commands only, and prints each of them to show how a real instance is configured. Running it
 * again changes the SSO's secret and creates another token.
 *
 * @param baseUrl the address of its Worker
 * @param datasources of the documents that are pushed
 * @returns a token for pushing documents
 * @throws {PlainError} if the Worker refuses
 */
export async function configureAcme(
  baseUrl: string,
  sso: { readonly issuer: string; readonly clientSecret: string },
  datasources: readonly string[],
  { folder, print = console.log }: Bench = {},
): Promise<string> {
  // From the environment, as a deployment would do it: on a command line, the secret would show in the process list.
  process.env.SSO_CLIENT_SECRET = sso.clientSecret;
  const admin = openLocalAdmin(folder, addressOf(baseUrl));
  const run = (command: Command) => show(command, admin, print);
  try {
    const ssoClient = ["--client-id", SSO_CLIENT_ID, "--client-secret-from-env", "SSO_CLIENT_SECRET"];
    const ssoGroups = ["--scope", "openid profile email groups", "--groups-claim", "groups"];
    await run(["sso", "set", "acme", "--issuer", sso.issuer, ...ssoClient, ...ssoGroups]);
    await run(["settings", "set", "acme", "displayName=Acme", 'searchLanguages=["en","de"]']);
    await run(["oauth", "enable", "acme"]);
    const tokenScope = ["--kind", "indexing", "--scope", datasources.map((name) => `documents:${name}`).join(" ")];
    const tokenLabel = ["--expires-in-days", "1", "--name", "local pipeline"];
    const { secret } = await run(["token", "create", "acme", ...tokenScope, ...tokenLabel]);
    return String(secret);
  } catch (error) {
    return unusable(error);
  }
}

/** Moves the documents to an engine, unless they are already there. @throws {PlainError} if the Worker refuses */
export async function moveAcme(baseUrl: string, engine: string): Promise<void> {
  const admin = openLocalAdmin(undefined, addressOf(baseUrl));
  try {
    const { engine: current } = await runAdmin(["documents", "placement", "acme"], {
      ...admin,
      print: () => undefined,
    });
    if (current !== engine) {
      await show(["documents", "move", "acme", "--to", engine, "--wait", "--yes"], admin, console.log);
    }
  } catch (error) {
    unusable(error);
  } finally {
    await admin.dispose();
  }
}

/** Returns the address of a local Worker, with `{instance}` in place of the name. */
export function addressOf(baseUrl: string): string {
  return baseUrl.replace("//localhost", "//{instance}.localhost");
}

/** Returns words as you would type them. */
export function typed(words: readonly string[]): string {
  return words.map((word) => (/^[\w:./@-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}

/** Runs a command and prints it as you would type it, with its output without secrets. */
async function show(command: Command, admin: AdminContext, print: (line: string) => void): Promise<AdminOutcome> {
  print(`$ npm run admin -- ${typed(command)}`);
  const lines: string[] = [];
  const outcome = await runAdmin(command, { ...admin, print: (line) => lines.push(line) });
  const { secret, setupUrl } = outcome;
  for (const line of lines) {
    // The local instance gets its SSO by a command.
    if (typeof setupUrl === "string" && line.includes(setupUrl)) continue;
    print(`  ${typeof secret === "string" ? line.replaceAll(secret, "…") : line}`);
  }
  return outcome;
}

function unusable(error: unknown): never {
  // Another database would not help.
  if (error instanceof ConfigurationError) throw new PlainError(error.message);
  // The first line has the reason; the others are a stack or output of the runtime.
  const [reason] = explainFailure(error).split("\n");
  throw new PlainError(`Can't prepare the local instance. ${reason}\n${START_AFRESH}`);
}
