import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { ProcessCpu } from "../gate/cpu.ts";
import { keptBytes } from "../gate/heap.ts";
import { KeptDatabase } from "./kept.ts";
import type { BenchRequest } from "./requests.ts";

const HOST = "127.0.0.1";

/** The files that decide what a written database contains. */
const WRITERS = [
  "src/documents/write",
  "src/documents/schema.sql.ts",
  "src/documents/index-rules.ts",
  "bench/search/corpus.ts",
];

/** The documents object in workerd, with a database that is kept between runs. */
export class SearchWorkerd {
  readonly #miniflare: Miniflare;
  readonly #kept: KeptDatabase;
  readonly cpu: ProcessCpu;
  readonly #url: URL;

  private constructor(miniflare: Miniflare, kept: KeptDatabase, cpu: ProcessCpu, url: URL) {
    this.#miniflare = miniflare;
    this.#kept = kept;
    this.cpu = cpu;
    this.#url = url;
  }

  /** @param documents the number that the database has, or will have */
  static async start(documents: number, name?: string): Promise<SearchWorkerd> {
    const kept = keptOf(documents, name);
    mkdirSync(kept.folder, { recursive: true });
    const miniflare = new Miniflare({
      ...convertV4MiniflareOptions({
        name: "bench",
        modules: true,
        script: bundle(),
        compatibilityDate: /^compatibility_date = "(.+)"$/m.exec(readFileSync("wrangler.toml", "utf8"))?.[1] ?? "",
        durableObjects: {
          DOCUMENTS: { className: "DocumentsObject", useSQLite: true },
          NAIVE: { className: "NaiveDocuments", useSQLite: true },
        },
        unsafeDirectSockets: [{ host: HOST, port: 0 }],
        host: HOST,
        port: 0,
        cf: false,
      }),
      resourcePersistencePath: kept.folder,
      inspectorPort: 0,
    });
    await miniflare.ready;
    return new SearchWorkerd(
      miniflare,
      kept,
      ProcessCpu.ofChild("workerd"),
      await miniflare.unsafeGetDirectURL("bench"),
    );
  }

  get folder(): string {
    return this.#kept.folder;
  }

  static isWritten(documents: number): boolean {
    return keptOf(documents).isWritten;
  }

  /** Returns the file of the only object of a class. The first request creates it. */
  databaseOf(className: string): string {
    const folder = join(this.#kept.folder, "do", `bench-${className}`);
    const name = readdirSync(folder).find((one) => one.endsWith(".sqlite") && one !== "metadata.sqlite");
    if (name === undefined) throw new Error(`${folder} has no object`);
    return join(folder, name);
  }

  /** Keeps the database for the next run, with what was measured while it was written. */
  keep(measured: string): void {
    this.#kept.keep(measured);
  }

  /** Returns what was passed to {@link keep}. */
  kept(): string {
    return this.#kept.measured;
  }

  async ask<Answer>(request: BenchRequest): Promise<Answer> {
    const send = () => fetch(this.#url, { method: "POST", body: JSON.stringify(request) });
    // Retried once: workerd closes a connection that is idle while results are judged.
    const response = await send().catch(send);
    const text = await response.text();
    if (!response.ok) throw new Error(`${JSON.stringify(request)}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  }

  /** Returns the bytes that the isolate keeps after a collection of garbage. */
  async keptBytes(): Promise<number> {
    return keptBytes(await this.#miniflare.getInspectorURL(), "bench");
  }

  stop(): Promise<void> {
    return this.#miniflare.dispose();
  }
}

function keptOf(documents: number, name = "bench-search"): KeptDatabase {
  return new KeptDatabase(name, documents, WRITERS);
}

/** Bundles as for a deployment. */
function bundle(): string {
  const outdir = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  try {
    execFileSync("wrangler", ["deploy", "bench/search/worker.ts", "--dry-run", "--outdir", outdir], {
      stdio: "ignore",
    });
    return readFileSync(join(outdir, "worker.js"), "utf8");
  } finally {
    rmSync(outdir, { recursive: true });
  }
}
