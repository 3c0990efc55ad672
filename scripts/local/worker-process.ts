import { createWriteStream, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { Certificate } from "./options.ts";
import { requestLocally } from "./local-request.ts";
import { startNode } from "./node-child.ts";
import { PlainError } from "./plain-error.ts";

/** The log of the Worker and wrangler. */
export const WORKER_LOG = ".wrangler/local/worker.log";

/** The address of the Worker of `npm start`, with `{instance}` in place of the name, for commands. */
export const ADDRESS_FILE = ".wrangler/local/worker-address";

const READY_TIMEOUT_MILLISECONDS = 60_000;
const READY_POLL_MILLISECONDS = 150;

/** Responds without a sign-in, and with 200 only if the database and the instance are in order. */
const READY_PATH = "/.well-known/oauth-protected-resource";

export interface WorkerOptions {
  readonly port: number;
  readonly https: boolean;
  readonly certificate?: Certificate | undefined;
  readonly publicOrigin?: string | undefined;
  /** The folder of the `wrangler.toml`, its `.dev.vars` and its local database; absent: the current folder. */
  readonly folder?: string;
  /** The host to request until the Worker responds; absent: the one of {@link WorkerProcess.baseUrl}. */
  readonly host?: string;
}

export interface WorkerProcess {
  readonly name: string;
  readonly baseUrl: string;
  readonly ended: Promise<void>;
  /** Settles when the Worker responds; @throws {PlainError} if it does not. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs the Worker with `wrangler dev`, on loopback only. Nothing is sent to other machines: no metrics, no location look-up, no
 * check for updates. So it starts without a network too.
 */
export function startWorker(options: WorkerOptions): WorkerProcess {
  const { port, https, folder = ".", host } = options;
  const environment = {
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG: "log",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_WRITE_LOGS: "false",
  };
  const child = startNode([guardScript(), wranglerScript(), ...wranglerArguments(options)], environment, folder);
  let stopping = false;
  const logFile = join(folder, WORKER_LOG);
  mkdirSync(dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile);
  child.output.on("line", (line) => log.write(`${stripVTControlCharacters(line)}\n`));
  const isForTheConsole = withoutAdvice();
  child.complaints.on("line", (line) => {
    const plainLine = stripVTControlCharacters(line);
    log.write(`${plainLine}\n`);
    if (isForTheConsole(plainLine) && !stopping) console.error(line);
  });

  const baseUrl = `${https ? "https" : "http"}://localhost:${port}`;
  return {
    name: "The Worker (wrangler dev)",
    baseUrl,
    ended: child.ended,
    async ready() {
      const over = new AbortController();
      void child.ended.then(() => over.abort());
      const reason = await waitForAnswer(`${baseUrl}${READY_PATH}`, host, over.signal);
      if (reason !== undefined) throw new PlainError(`The Worker did not start. ${reason} Its log: ${logFile}`);
    },
    async stop() {
      stopping = true;
      await child.stop();
    },
  };
}

/**
 * Leaves out wrangler's warnings, which only advise: a line that begins with a triangle, and the indented lines below it.
 */
function withoutAdvice(): (line: string) => boolean {
  let isAdvice = false;
  return (line) => {
    isAdvice = line.startsWith("▲") || (isAdvice && /^(\s|$)/.test(line));
    return !isAdvice;
  };
}

/**
 * Returns the arguments of `wrangler dev`. `--ip localhost` listens on every address of the name: 127.0.0.1, and ::1 on machines
 * that have it.
 */
function wranglerArguments({ port, https, certificate, publicOrigin }: WorkerOptions): string[] {
  const address = ["--ip", "localhost", "--port", String(port), "--local-protocol", https ? "https" : "http"];
  // If wrangler.toml has a deployment's routes, every request would otherwise seem to be for the first route's host.
  const host = "--infer-origin-from-routes=false";
  const files =
    certificate === undefined
      ? []
      : ["--https-cert-path", certificate.certFile, "--https-key-path", certificate.keyFile];
  const named =
    publicOrigin === undefined
      ? []
      : [
          "--var",
          "TLS_PROXY:true",
          "--var",
          `INSTANCE_HOST:${new URL(publicOrigin).hostname.replace("acme", "{instance}")}`,
        ];
  return ["dev", ...address, ...files, ...named, host, "--inspector-port", "0", "--show-interactive-dev-session=false"];
}

function guardScript(): string {
  return fileURLToPath(new URL("./guard.ts", import.meta.url));
}

function wranglerScript(): string {
  const manifest = createRequire(import.meta.url).resolve("wrangler/package.json");
  return join(dirname(manifest), "bin/wrangler.js");
}

/** @returns why the Worker did not respond; nothing if it did. */
async function waitForAnswer(url: string, host: string | undefined, over: AbortSignal): Promise<string | undefined> {
  const deadline = Date.now() + READY_TIMEOUT_MILLISECONDS;
  let last = "It did not respond.";
  while (Date.now() < deadline) {
    if (over.aborted) return "wrangler ended.";
    const answer = await requestLocally(url, host === undefined ? {} : { headers: { Host: host } }).catch(
      () => undefined,
    );
    if (answer?.status === 200) return undefined;
    if (answer !== undefined) last = `${url} answered ${answer.status}: ${answer.text.slice(0, 500)}`;
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MILLISECONDS));
  }
  return last;
}
