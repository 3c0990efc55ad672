/** `npm start`: all of Gatehouse on this computer, from an empty folder to a search that respects permissions. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { leaveOutLog } from "./admin/failures.ts";
import { addressOf, configureAcme, makeAcme, moveAcme, SSO_CLIENT_ID } from "./local/acme.ts";
import { ensureDevVars } from "./local/dev-vars.ts";
import { indexDocuments } from "./local/index-documents.ts";
import { Lifetime } from "./local/lifetime.ts";
import { forgetLocalState, requireMatchingState, requireSameSignIn, SSO_KEY_FILE } from "./local/local-state.ts";
import { callbackUris } from "./local/local-origins.ts";
import { HELP, parseOptions, type StartOptions } from "./local/options.ts";
import { PlainError } from "./local/plain-error.ts";
import { localPush } from "./local/push-folder.ts";
import { requireFreePorts } from "./local/ports.ts";
import { showProgress } from "./local/progress.ts";
import { readyText } from "./local/ready-text.ts";
import { DATASOURCES, readSample } from "./local/sample.ts";
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
  const push = options.content === undefined ? undefined : localPush(options.content, worker.baseUrl);
  const token = await configureAcme(worker.baseUrl, { issuer, clientSecret }, push ? [push.datasource] : DATASOURCES);

  const content = push ? await push.run(token) : await indexSample(worker.baseUrl, token);
  if (options.engine) await moveAcme(worker.baseUrl, options.engine);
  console.log(readyText({ baseUrl: options.publicOrigin ?? worker.baseUrl, ssoIssuer: issuer, content }));
}

/** Indexes the sample. @returns what can be searched */
async function indexSample(baseUrl: string, token: string): Promise<string> {
  const documents = await readSample();
  await indexDocuments({ baseUrl, token }, documents, showProgress(documents.length));
  return `${documents.length} documents of the handbook, engineering and sales can be searched (sample/acme), each for everybody, for
  some groups or for one person.`;
}
