import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { keptBytes } from "./heap.ts";
import { childNamed, type Meter, ProcessCpu } from "./cpu.ts";
import { COUNTED_PROCESS, RetiredInstructions, runInValgrind } from "./instructions.ts";

/**
 * The Workers of the bench, by name. Each has its own isolate, so that none compiles or collects garbage for another.
 */
const WORKERS = {
  bare: { script: "bare" },
  "bare-again": { script: "bare" },
  "bare-named": { script: "bare", keepsNames: true },
  reading: { script: "reading" },
  "one-read": { script: "one-read" },
  "one-batch": { script: "one-batch" },
  "one-batch-again": { script: "one-batch" },
  framed: { script: "framed" },
  "own-warm": { script: "gate" },
  "own-first-sight": { script: "gate" },
  "external-warm": { script: "gate" },
  "external-first-sight": { script: "gate" },
  "external-unread": { script: "gate" },
  "service-warm": { script: "gate" },
  "jose-es256": { script: "jose" },
  "jose-rs256": { script: "jose" },
  peer: { script: "peer", bindings: { REMEMBER_KV: false } },
  "peer-remembering": { script: "peer", bindings: { REMEMBER_KV: true } },
  "peer-refreshing": { script: "peer", bindings: { REMEMBER_KV: false } },
  "oidc-redeeming": { script: "oidc", needsNode: true, bindings: { REMEMBER_STORAGE: false } },
  "oidc-refreshing": { script: "oidc", needsNode: true, bindings: { REMEMBER_STORAGE: false } },
  "oidc-remembering": { script: "oidc", needsNode: true, bindings: { REMEMBER_STORAGE: true } },
  setup: { script: "setup" },
  whole: { script: "whole" },
  redeeming: { script: "uncounted" },
  refreshing: { script: "uncounted" },
  uncounted: { script: "uncounted" },
  loaded: { script: "loaded" },
} as const satisfies Record<string, BenchWorker>;

interface BenchWorker {
  readonly script: string;
  /** Whether to build with wrangler's default, which our configuration turns off. */
  readonly keepsNames?: true;
  /** Whether it needs the modules of Node. */
  readonly needsNode?: true;
  readonly bindings?: Readonly<Record<string, boolean>>;
}

export type WorkerName = keyof typeof WORKERS;

/** Those with a control entrypoint, which measured requests don't use. */
const CONTROLLED = new Set(["gate", "jose", "peer", "oidc", "loaded"]);

/** Those that are the Worker as deployed. */
const WHOLE = new Set<string>(["whole", "uncounted", "loaded"]);

const HOST = "127.0.0.1";

/** The compatibility flag that gives a Worker the modules of Node. */
const NODE_FLAG = "nodejs_compat";

/** The bindings of the whole Worker besides D1 and KV. */
const DOCUMENTS = { DOCUMENTS: { className: "DocumentsObject", useSQLite: true } };
const RATE_LIMITS = {
  RATE_LIMIT_60: { namespace_id: "RATE_LIMIT_60", simple: { limit: 1e9, period: 60 as const } },
  RATE_LIMIT_300: { namespace_id: "RATE_LIMIT_300", simple: { limit: 1e9, period: 60 as const } },
  RATE_LIMIT_3000: { namespace_id: "RATE_LIMIT_3000", simple: { limit: 1e9, period: 60 as const } },
};

/** The Workers of `npm run bench:token`, besides the one that sets up. */
export const TOKEN_WORKERS = [
  "one-batch",
  "one-batch-again",
  "redeeming",
  "refreshing",
  "peer-refreshing",
  "oidc-redeeming",
  "oidc-refreshing",
  "oidc-remembering",
] as const satisfies readonly WorkerName[];

const OF_OTHER_BENCHES = new Set<WorkerName>([...TOKEN_WORKERS, "uncounted", "loaded"]);

/** Those that `npm run bench` always needs, to get tokens and to set keys. */
const OF_EVERY_RUN = new Set<string>(["setup", "jose-es256", "jose-rs256", "peer"]);

/**
 * Returns the Workers that a run of `npm run bench` needs. On some machines, valgrind has no memory for the isolates of all at
 * once.
 */
export function gateWorkers(isChosen: (worker: string) => boolean): WorkerName[] {
  const names = (Object.keys(WORKERS) as WorkerName[]).filter((name) => !OF_OTHER_BENCHES.has(name));
  return names.filter((name) => OF_EVERY_RUN.has(name) || isChosen(name));
}

/** One workerd with all Workers, each on its own socket. D1 and KV are Miniflare's, in the same process. */
export class BenchWorkerd {
  readonly #miniflare: Miniflare;
  readonly #folder: string;
  readonly cpu: ProcessCpu;
  /** Measures what requests cost. */
  readonly meter: Meter;

  private constructor(miniflare: Miniflare, folder: string, countsInstructions: boolean) {
    this.#miniflare = miniflare;
    this.#folder = folder;
    const pid = childNamed(countsInstructions ? COUNTED_PROCESS : "workerd");
    this.cpu = new ProcessCpu(pid);
    this.meter = countsInstructions ? new RetiredInstructions(pid, folder) : this.cpu;
  }

  /**
   * @param names the Workers to start
   * @param countsInstructions whether to count instructions instead of CPU time; workerd then runs in valgrind
   * @param answer answers what the Workers fetch from other servers; without it, they reach the network
   */
  static async start(
    names: readonly WorkerName[],
    countsInstructions = false,
    answer?: (url: URL) => Response | Promise<Response>,
  ): Promise<BenchWorkerd> {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-workerd-"));
    if (countsInstructions) runInValgrind(folder);
    const chosen = names.map((name): [WorkerName, BenchWorker] => [name, WORKERS[name]]);
    const scripts = await bundle(chosen.map(([, worker]) => worker));
    const workers = chosen.map(([name, worker]) => ({
      name,
      modules: true as const,
      script: scripts.get(buildOf(worker)) ?? "",
      compatibilityDate: /^compatibility_date = "(.+)"$/m.exec(readFileSync("wrangler.toml", "utf8"))?.[1] ?? "",
      compatibilityFlags: worker.needsNode ? [NODE_FLAG] : [],
      bindings: {
        INSTANCE_HOST: "{instance}-be.example.com",
        SERVICE_NAME: "Gatehouse",
        LOCAL_DEVELOPMENT: "true",
        MASTER_KEYS: `bench:${"A".repeat(43)}`,
        CLOCK_STANDS: countsInstructions,
        ...worker.bindings,
      },
      d1Databases: { DB: "bench" },
      kvNamespaces: { CACHE: "bench-cache", OAUTH_KV: "bench-oauth" },
      durableObjects: WHOLE.has(worker.script) ? DOCUMENTS : {},
      ...(answer ? { outboundService: (request: { readonly url: string }) => answer(new URL(request.url)) } : {}),
      ratelimits: WHOLE.has(worker.script) ? RATE_LIMITS : {},
      serviceBindings: WHOLE.has(worker.script) ? { ASSETS: { disk: { path: "public" } } } : {},
      unsafeDirectSockets: [
        { host: HOST, port: 0 },
        ...(CONTROLLED.has(worker.script) ? [{ host: HOST, port: 0, entrypoint: "Control" }] : []),
      ],
    }));
    const handleStructuredLogs = ({ level, message }: { level: string; message: string }) => {
      if (level === "error") console.error(message);
    };
    const shared = { host: HOST, port: 0, cf: false, handleStructuredLogs, ...(answer ? { inspectorPort: 0 } : {}) };
    const miniflare = new Miniflare(convertV4MiniflareOptions({ ...shared, workers }));
    try {
      await miniflare.ready;
      return new BenchWorkerd(miniflare, folder, countsInstructions);
    } catch (error) {
      await miniflare.dispose();
      throw error;
    }
  }

  url(worker: WorkerName): Promise<URL> {
    return this.#miniflare.unsafeGetDirectURL(worker);
  }

  /** Sends a message to a Worker's control entrypoint, or to the setup Worker, which has no other. */
  async ask<Answer>(worker: WorkerName, message?: unknown): Promise<Answer> {
    const entrypoint = worker === "setup" ? undefined : "Control";
    const url = await this.#miniflare.unsafeGetDirectURL(worker, entrypoint);
    const response = await fetch(url, message === undefined ? {} : { method: "POST", body: JSON.stringify(message) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${worker} answered ${response.status}: ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  }

  /** Returns the bytes that a Worker's isolate keeps after a collection of garbage. Needs the parameter `answer` of `start`. */
  async keptBytes(worker: WorkerName): Promise<number> {
    return keptBytes(await this.#miniflare.getInspectorURL(), worker);
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
    rmSync(this.#folder, { recursive: true });
  }
}

/** Returns the name of a bundle: the script, and how it is built. */
function buildOf({ script, keepsNames }: BenchWorker): string {
  return keepsNames ? `${script}, names kept` : script;
}

/**
 * Bundles as for a deployment. Only the whole Worker gets the documents object, because a Worker with that binding has to export
 * it.
 */
async function bundle(workers: readonly BenchWorker[]): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  try {
    const bundled = new Map<string, string>();
    const whole = readFileSync("wrangler.toml", "utf8");
    const bare = whole.replaceAll(/^\[+(?:durable_objects\.bindings|migrations|assets)\]+\n(?:.+\n)+/gm, "");
    const at = (name: string) => join(folder, `${name}.toml`);
    const configs = { bare: at("bare"), named: at("named"), node: at("node"), whole: "wrangler.toml" };
    writeFileSync(configs.bare, bare);
    const named = bare.replace(/^keep_names = false\n/m, "");
    writeFileSync(configs.named, named);
    // The package identifies its models by the names of their classes.
    writeFileSync(configs.node, named.replace(/^compatibility_flags = \[/m, `compatibility_flags = ["${NODE_FLAG}", `));
    for (const worker of workers) {
      const { script, keepsNames, needsNode } = worker;
      if (bundled.has(buildOf(worker))) continue;
      const outdir = join(folder, `${bundled.size}`);
      const config = configs[WHOLE.has(script) ? "whole" : keepsNames ? "named" : needsNode ? "node" : "bare"];
      const source = resolve(`bench/gate/workers/${script}.ts`);
      await promisify(execFile)("wrangler", ["deploy", source, "--config", config, "--dry-run", "--outdir", outdir]);
      bundled.set(buildOf(worker), readFileSync(join(outdir, `${script}.js`), "utf8"));
    }
    return bundled;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
