import { createWriteStream, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { Certificate } from "./options.ts";
import { requestLocally } from "./local-request.ts";
import { startNode } from "./node-child.ts";
import { PlainError } from "./plain-error.ts";

/** Where everything goes that the Worker and wrangler say. */
export const WORKER_LOG = ".wrangler/local/worker.log";

/** Says where the Worker of `npm start` answers, with `{instance}` for the name: commands ask it there. */
export const ADDRESS_FILE = ".wrangler/local/worker-address";

const READY_TIMEOUT_MILLISECONDS = 60_000;
const READY_POLL_MILLISECONDS = 150;

/** Answers without a sign-in, and only when the database and the instance are in order. */
const READY_PATH = "/.well-known/oauth-protected-resource";

export interface WorkerOptions {
  readonly port: number;
  readonly https: boolean;
  readonly certificate?: Certificate | undefined;
  readonly publicOrigin?: string | undefined;
  /** Where the `wrangler.toml` is, with its `.dev.vars` and its local database beside it; absent: here. */
  readonly folder?: string;
  /** Other configuration than `wrangler.toml`, the main Worker's first, and what its processes need. */
  readonly configs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The host that it is asked by until it answers; absent: the one of {@link WorkerProcess.baseUrl}. */
  readonly host?: string;
}

export interface WorkerProcess {
  readonly name: string;
  readonly baseUrl: string;
  readonly ended: Promise<void>;
  /** Settles when the Worker answers; @throws {PlainError} when it does not. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs the Worker with `wrangler dev`, on loopback only, without a word to anybody outside this machine: no metrics,
 * no look-up of where we are, no check for updates. So it starts without a network too.
 */
export function startWorker(options: WorkerOptions): WorkerProcess {
  const { port, https, folder = ".", host } = options;
  const environment = {
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG: "log",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_WRITE_LOGS: "false",
    ...options.environment,
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

/** Leaves out wrangler's warnings, which advise: a line that starts with a triangle, and what is indented below it. */
function withoutAdvice(): (line: string) => boolean {
  let isAdvice = false;
  return (line) => {
    isAdvice = line.startsWith("▲") || (isAdvice && /^(\s|$)/.test(line));
    return !isAdvice;
  };
}

/** `--ip localhost` listens on every address that the name has: 127.0.0.1, and ::1 where the machine knows it. */
function wranglerArguments({ port, https, certificate, publicOrigin, configs = [] }: WorkerOptions): string[] {
  const address = ["--ip", "localhost", "--port", String(port), "--local-protocol", https ? "https" : "http"];
  // With a deployment's routes in wrangler.toml every request would seem to be for the first route's host.
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
  const config = configs.flatMap((file) => ["--config", file]);
  return [
    "dev",
    ...config,
    ...address,
    ...files,
    ...named,
    host,
    "--inspector-port",
    "0",
    "--show-interactive-dev-session=false",
  ];
}

function guardScript(): string {
  return fileURLToPath(new URL("./guard.ts", import.meta.url));
}

function wranglerScript(): string {
  const manifest = createRequire(import.meta.url).resolve("wrangler/package.json");
  return join(dirname(manifest), "bin/wrangler.js");
}

/** @returns why there was no answer, if there was none. */
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
