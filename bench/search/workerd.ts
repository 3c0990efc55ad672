import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { ProcessCpu } from "../gate/cpu.ts";
import type { BenchRequest } from "./requests.ts";

const HOST = "127.0.0.1";
const KEPT = ".artifacts/bench-search";
const IS_WRITTEN = "written";

/** What decides what a written database holds. */
const WRITERS = [
  "src/documents/write",
  "src/documents/schema.sql.ts",
  "src/documents/index-rules.ts",
  "bench/search/corpus.ts",
];

/** The object of documents in workerd, with a database that is kept between runs. */
export class SearchWorkerd {
  readonly #miniflare: Miniflare;
  readonly #folder: string;
  readonly cpu: ProcessCpu;
  readonly #url: URL;

  private constructor(miniflare: Miniflare, folder: string, cpu: ProcessCpu, url: URL) {
    this.#miniflare = miniflare;
    this.#folder = folder;
    this.cpu = cpu;
    this.#url = url;
  }

  /** @param documents so many the database has, or is to have */
  static async start(documents: number): Promise<SearchWorkerd> {
    const folder = folderOf(documents);
    mkdirSync(folder, { recursive: true });
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
      resourcePersistencePath: folder,
    });
    await miniflare.ready;
    return new SearchWorkerd(
      miniflare,
      folder,
      ProcessCpu.ofChild("workerd"),
      await miniflare.unsafeGetDirectURL("bench"),
    );
  }

  static isWritten(documents: number): boolean {
    return existsSync(join(folderOf(documents), IS_WRITTEN));
  }

  /** The file of the only object of a class, which is made with its first request. */
  databaseOf(className: string): string {
    const folder = join(this.#folder, "do", `bench-${className}`);
    const name = readdirSync(folder).find((one) => one.endsWith(".sqlite") && one !== "metadata.sqlite");
    if (name === undefined) throw new Error(`${folder} has no object`);
    return join(folder, name);
  }

  /** Keeps the database for the next run, with what was measured while it was written. */
  keep(measured: string): void {
    writeFileSync(join(this.#folder, IS_WRITTEN), measured);
  }

  /** What {@link keep} was given. */
  kept(): string {
    return readFileSync(join(this.#folder, IS_WRITTEN), "utf8");
  }

  async ask<Answer>(request: BenchRequest): Promise<Answer> {
    const send = () => fetch(this.#url, { method: "POST", body: JSON.stringify(request) });
    // Once more: workerd closes a connection that is idle while answers are judged.
    const response = await send().catch(send);
    const text = await response.text();
    if (!response.ok) throw new Error(`${JSON.stringify(request)}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  }

  stop(): Promise<void> {
    return this.#miniflare.dispose();
  }
}

function folderOf(documents: number): string {
  const hash = createHash("sha256");
  const files = WRITERS.flatMap((path) =>
    path.endsWith(".ts")
      ? [path]
      : readdirSync(path)
          .sort()
          .map((name) => join(path, name)),
  );
  for (const file of files) hash.update(readFileSync(file));
  return `${KEPT}/${documents}-${hash.digest("hex").slice(0, 12)}`;
}

/** Bundled as a deployment is. */
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
