/** `npm start`: all of Gatehouse on this computer, from an empty folder to a search that respects permissions. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { leaveOutLog } from "./admin/failures.ts";
import { datasourceOf } from "../clients/push/options.ts";
import { addressOf, configureAcme, makeAcme, moveAcme, SSO_CLIENT_ID } from "./local/acme.ts";
import { ensureDevVars } from "./local/dev-vars.ts";
import { Lifetime } from "./local/lifetime.ts";
import { workerFetch } from "./local/local-request.ts";
import { forgetLocalState, requireMatchingState, requireSameSignIn, SSO_KEY_FILE } from "./local/local-state.ts";
import { callbackUris } from "./local/local-origins.ts";
import { HELP, parseOptions, type StartOptions } from "./local/options.ts";
import { PlainError } from "./local/plain-error.ts";
import { requireFreePorts } from "./local/ports.ts";
import { pushFolder, SAMPLE } from "./local/push-folder.ts";
import { readyText } from "./local/ready-text.ts";
import { startSso } from "./local/sso-process.ts";
import { ADDRESS_FILE, startWorker } from "./local/worker-process.ts";

leaveOutLog();
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
// Exits instead of only setting the exit code: after Ctrl-C in the middle of a step, the remaining steps must not run.
process.exit(await main());

async function main(): Promise<number> {
  const lifetime = new Lifetime();
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options.help) {
      console.log(HELP);
      return 0;
    }
    await Promise.race([start(options, lifetime), lifetime.over]);
    const reason = await lifetime.over;
    if (reason !== undefined) throw new PlainError(reason);
    return 0;
  } catch (error) {
    console.error(error instanceof PlainError ? `\n${error.message}` : error);
    return 1;
  } finally {
    await lifetime.end();
  }
}

async function start(options: StartOptions, lifetime: Lifetime): Promise<void> {
  await requireFreePorts(options);
  if (options.fresh) await forgetLocalState();
  const issuer = `http://localhost:${options.ssoPort}`;
  await requireMatchingState(await ensureDevVars());
  await requireSameSignIn(issuer);

  const clientSecret = randomBytes(32).toString("base64url");
  await makeAcme();

  const client = { clientId: SSO_CLIENT_ID, clientSecret, redirectUris: callbackUris(options) };
  lifetime.add(await startSso({ port: options.ssoPort, keyFile: SSO_KEY_FILE, ...client }));
  const worker = lifetime.add(startWorker(options));
  await worker.ready();
  await writeFile(ADDRESS_FILE, addressOf(worker.baseUrl));
  const folders = options.content === undefined ? SAMPLE : [options.content];
  const token = await configureAcme(worker.baseUrl, { issuer, clientSecret }, folders.map(datasourceOf));
  const origin = options.publicOrigin ?? worker.baseUrl;
  const target = { origin, token, fetch: workerFetch(worker.baseUrl) };
  for (const folder of folders) await pushFolder(folder, target);
  if (options.engine) await moveAcme(worker.baseUrl, options.engine);
  console.log(readyText({ baseUrl: origin, ssoIssuer: issuer, folders }));
}
