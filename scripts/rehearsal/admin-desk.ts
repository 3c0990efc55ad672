/**
 * Runs admin commands for the stand-in, one after another, on the database of the folder that it runs in. A process for each
 * command would load Gatehouse and wrangler anew, which takes longer than any command does.
 *
 *     node scripts/rehearsal/admin-desk.ts
 */
import type { IncomingMessage } from "node:http";
import { readFile } from "node:fs/promises";
import { explainFailure, leaveOutLog } from "../admin/failures.ts";
import { remotePlace } from "../admin/place.ts";
import { headersOf, type SendToWorker } from "../admin/worker-request.ts";
import { openLocalAdmin, runAdmin } from "../admin.ts";
import { openLoopback } from "../local/loopback.ts";
import { askPlayedWorker } from "./played-worker.ts";

/** A command as the shell gave it, with the variables that the shell had set. */
export interface AdminRequest {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the command printed, or why it failed. */
export interface AdminResponse {
  readonly lines: readonly string[];
  readonly failure?: string;
}

/** What says which database it is, and which keys open it. */
const CONFIGURATION = ["wrangler.toml", ".dev.vars"];

/** Lines that say how the Worker is built, and nothing of the database. */
const BUILD = /^(?:main|no_bundle|minify|upload_source_maps) = .*\n/gm;

let admin: ReturnType<typeof openLocalAdmin> | undefined;
let openedWith: string | undefined;
let last: Promise<unknown> = Promise.resolve();

process.once("disconnect", () => process.exit(0));
process.once("SIGTERM", async () => {
  await admin?.dispose();
  process.exit(0);
});
leaveOutLog();

const server = await openLoopback(0);
server.serve(async (request, response) => {
  const command = (await readJson(request)) as AdminRequest;
  const report = last.then(() => carryOut(command));
  last = report;
  response.end(JSON.stringify(await report));
});
console.log(server.port);

async function carryOut({ args, env }: AdminRequest): Promise<AdminResponse> {
  Object.assign(process.env, env);
  const lines: string[] = [];
  try {
    await runAdmin(args, { ...(await openAsConfigured()), print: (line) => lines.push(line), send });
    return { lines };
  } catch (error) {
    return { lines, failure: explainFailure(error) };
  }
}

/** The Worker that plays the deployed one answers at a port of this machine. */
const send: SendToWorker = async (url, request) => {
  const { method, body } = request;
  const content = body === undefined ? {} : { body };
  const played = { port: process.env["REHEARSAL_PORT"], url, method, headers: headersOf(request), ...content };
  // With the host or the master keys of before it knows no such instance, or no such token.
  const answer = await askPlayedWorker(played, (status) => status === 401 || status === 404);
  if (!answer) throw new Error("The Worker does not answer");
  return { status: answer.status, text: answer.text, version: answer.headers.etag };
};

/** The database that `wrangler.toml` names now, and the address of its Worker; a command before may have named another. */
async function openAsConfigured() {
  const texts = await Promise.all(CONFIGURATION.map((file) => readFile(file, "utf8").catch(() => "")));
  const configuration = texts.join("\n").replace(BUILD, "");
  if (admin && configuration === openedWith) return admin;
  await admin?.dispose();
  admin = openLocalAdmin(".", remotePlace().address);
  openedWith = configuration;
  return admin;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
