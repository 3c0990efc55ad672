/**
 * Runs admin commands for the stand-in, one after another, on the database of the current folder. A process for each command
 * would load Gatehouse and wrangler each time, which takes longer than any command does.
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

/** A command as the shell passed it, with the shell's variables. */
export interface AdminRequest {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the command printed, or why it failed. */
export interface AdminResponse {
  readonly lines: readonly string[];
  readonly failure?: string;
}

/** The files that decide which database is used and which keys decrypt it. */
const CONFIGURATION = ["wrangler.toml", ".dev.vars"];

/** Lines about how the Worker is built, which don't matter to the database. */
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

/** Sends a request to the Worker that plays the deployed one, at a port of this machine. */
const send: SendToWorker = async (url, request) => {
  const { method, body } = request;
  const content = body === undefined ? {} : { body };
  const played = { port: process.env["REHEARSAL_PORT"], url, method, headers: headersOf(request), ...content };
  // With its previous host or master keys, the Worker doesn't know this instance or this token yet.
  const answer = await askPlayedWorker(played, (status) => status === 401 || status === 404);
  if (!answer) throw new Error("The Worker does not answer");
  return { status: answer.status, text: answer.text, version: answer.headers.etag };
};

/**
 * Opens the database that `wrangler.toml` names now, and its Worker's address. The command before may have used another one.
 */
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
