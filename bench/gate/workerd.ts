import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { ProcessCpu } from "./cpu.ts";

/** The Workers of the bench, by name: one isolate each, so that none compiles or collects for another. */
const WORKERS = {
  bare: { script: "bare" },
  "bare-again": { script: "bare" },
  "one-read": { script: "one-read" },
  framed: { script: "framed" },
  "own-warm": { script: "gate" },
  "own-first-sight": { script: "gate" },
  "external-warm": { script: "gate" },
  "external-first-sight": { script: "gate" },
  "service-warm": { script: "gate" },
  "jose-es256": { script: "jose" },
  "jose-rs256": { script: "jose" },
  peer: { script: "peer", bindings: { REMEMBER_KV: false } },
  "peer-remembering": { script: "peer", bindings: { REMEMBER_KV: true } },
  setup: { script: "setup" },
} as const satisfies Record<string, { script: string; bindings?: Record<string, boolean> }>;

export type WorkerName = keyof typeof WORKERS;

/** Those with a side door that no request under measurement takes. */
const CONTROLLED = new Set(["gate", "jose", "peer"]);

const HOST = "127.0.0.1";

/** One workerd with all Workers, each on a socket of its own; D1 and KV are Miniflare's, in the same process. */
export class BenchWorkerd {
  readonly #miniflare: Miniflare;
  readonly cpu: ProcessCpu;

  private constructor(miniflare: Miniflare, cpu: ProcessCpu) {
    this.#miniflare = miniflare;
    this.cpu = cpu;
  }

  static async start(): Promise<BenchWorkerd> {
    const scripts = await bundle([...new Set(Object.values(WORKERS).map(({ script }) => script))]);
    const workers = Object.entries(WORKERS).map(([name, worker]) => ({
      name,
      modules: true as const,
      script: scripts.get(worker.script) ?? "",
      compatibilityDate: /^compatibility_date = "(.+)"$/m.exec(readFileSync("wrangler.toml", "utf8"))?.[1] ?? "",
      bindings: {
        INSTANCE_HOST: "{instance}-be.example.com",
        SERVICE_NAME: "Gatehouse",
        LOCAL_DEVELOPMENT: "true",
        MASTER_KEYS: `bench:${"A".repeat(43)}`,
        ...("bindings" in worker ? worker.bindings : {}),
      },
      d1Databases: { DB: "bench" },
      kvNamespaces: { CACHE: "bench-cache", OAUTH_KV: "bench-oauth" },
      unsafeDirectSockets: [
        { host: HOST, port: 0 },
        ...(CONTROLLED.has(worker.script) ? [{ host: HOST, port: 0, entrypoint: "Control" }] : []),
      ],
    }));
    const handleStructuredLogs = ({ level, message }: { level: string; message: string }) => {
      if (level === "error") console.error(message);
    };
    const shared = { host: HOST, port: 0, cf: false, handleStructuredLogs };
    const miniflare = new Miniflare(convertV4MiniflareOptions({ ...shared, workers }));
    try {
      await miniflare.ready;
      return new BenchWorkerd(miniflare, ProcessCpu.ofChild("workerd"));
    } catch (error) {
      await miniflare.dispose();
      throw error;
    }
  }

  url(worker: WorkerName): Promise<URL> {
    return this.#miniflare.unsafeGetDirectURL(worker);
  }

  /** Asks a Worker by its side door, or the setup, which has no other. */
  async ask<Answer>(worker: WorkerName, order?: unknown): Promise<Answer> {
    const entrypoint = worker === "setup" ? undefined : "Control";
    const url = await this.#miniflare.unsafeGetDirectURL(worker, entrypoint);
    const response = await fetch(url, order === undefined ? {} : { method: "POST", body: JSON.stringify(order) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${worker} answered ${response.status}: ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  }

  stop(): Promise<void> {
    return this.#miniflare.dispose();
  }
}

/** Bundles as a deployment is bundled. */
async function bundle(scripts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  try {
    const bundled = new Map<string, string>();
    for (const script of scripts) {
      const outdir = join(folder, script);
      const source = `bench/gate/workers/${script}.ts`;
      await promisify(execFile)("wrangler", ["deploy", source, "--dry-run", "--outdir", outdir]);
      bundled.set(script, readFileSync(join(outdir, `${script}.js`), "utf8"));
    }
    return bundled;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
