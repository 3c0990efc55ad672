import { openLocalAdmin, runAdmin } from "../admin.ts";
import { explainFailure } from "../admin/context.ts";
import { DATASOURCE } from "./corpus.ts";
import { PlainError, START_AFRESH } from "./plain-error.ts";

export const SSO_CLIENT_ID = "gatehouse";

type Command = readonly string[];

/**
 * Makes the instance "acme" with nothing but the admin commands, and shows each of them: whoever reads the console has
 * read how a real instance is made. Running them again changes nothing but the sign-in's secret and the name on pages.
 *
 * @param folder absent: the developer's own database; else that of another `wrangler.toml`.
 * @returns a token with which documents may be pushed.
 * @throws {PlainError} when the local state is unusable.
 */
export async function prepareAcme(
  sso: { readonly issuer: string; readonly clientSecret: string },
  { folder, print = (line) => console.log(line) }: { folder?: string; print?: (line: string) => void } = {},
): Promise<string> {
  // From the environment, as a deployment would do it: on a command line the secret would show in the process list.
  process.env.SSO_CLIENT_SECRET = sso.clientSecret;
  const admin = await openLocalAdmin(folder).catch(unusable);
  try {
    const run = (command: Command) =>
      show(command, print, (collect) => runAdmin(command, { ...admin, print: collect }));
    await run(["schema", "apply"]);
    await run(["instance", "create", "acme", "--admin", "ada@acme.example", "--if-absent"]);
    const ssoClient = ["--client-id", SSO_CLIENT_ID, "--client-secret-from-env", "SSO_CLIENT_SECRET"];
    const ssoGroups = ["--scope", "openid profile email groups", "--groups-claim", "groups"];
    await run(["sso", "set", "acme", "--issuer", sso.issuer, ...ssoClient, ...ssoGroups]);
    await run(["settings", "set", "acme", "displayName=Acme"]);
    await run(["oauth", "enable", "acme"]);
    const tokenScope = ["--kind", "indexing", "--scope", `documents:${DATASOURCE}`];
    const tokenLabel = ["--expires-in-days", "1", "--name", "local pipeline"];
    const { secret } = await run(["token", "create", "acme", ...tokenScope, ...tokenLabel]);
    return String(secret);
  } catch (error) {
    return unusable(error);
  } finally {
    await admin.dispose();
  }
}

/** Prints a command as it would be typed and what it answers, without the secrets in it. */
async function show<Outcome extends { readonly secret?: unknown }>(
  command: Command,
  print: (line: string) => void,
  run: (collect: (line: string) => void) => Promise<Outcome>,
): Promise<Outcome> {
  const typed = command.map((word) => (/^[\w:./@-]+$/.test(word) ? word : JSON.stringify(word)));
  print(`$ npm run admin -- ${typed.join(" ")}`);
  const lines: string[] = [];
  const outcome = await run((line) => lines.push(line));
  const secret = typeof outcome.secret === "string" ? outcome.secret : undefined;
  for (const line of lines) print(`  ${secret === undefined ? line : line.replaceAll(secret, "…")}`);
  return outcome;
}

function unusable(error: unknown): never {
  // The first line says it; what follows is a stack, or what the runtime printed.
  const [reason] = explainFailure(error).split("\n");
  throw new PlainError(`The local database cannot be prepared. ${reason}\n${START_AFRESH}`);
}
