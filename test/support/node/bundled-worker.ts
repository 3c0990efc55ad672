import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "vite";

/** The bundled Worker in the folder of the running Gatehouse, for tests that start others. */
export const WORKER_FILE = "worker.json";

/** A Worker as one module for workerd, with its runtime's configuration. */
export interface BundledWorker {
  readonly script: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: string[];
}

/**
 * Bundles a Worker without wrangler, which takes longer to load than this takes in total. The rehearsal of a deployment and
 * `wrangler dev` bundle both Workers as users do.
 *
 * @param config its `wrangler.toml`
 */
export async function bundleWorker(config = "wrangler.toml"): Promise<BundledWorker> {
  const text = readFileSync(config, "utf8");
  const valueOf = (name: string) => new RegExp(`^${name} = (.+)$`, "m").exec(text)?.[1];
  const main = resolve(config, "..", JSON.parse(valueOf("main") ?? '""') as string);
  const built = await build({
    configFile: false,
    logLevel: "error",
    publicDir: false,
    resolve: { conditions: ["workerd", "worker", "module", "browser"] },
    ssr: { noExternal: true, target: "webworker" },
    build: {
      ssr: true,
      write: false,
      minify: false,
      rolldownOptions: { input: main, external: /^(?:cloudflare|node):/, output: { codeSplitting: false } },
    },
  });
  if (!("output" in built)) throw new Error("one build was asked for");
  return {
    script: built.output[0].code,
    compatibilityDate: JSON.parse(valueOf("compatibility_date") ?? '""') as string,
    compatibilityFlags: JSON.parse(valueOf("compatibility_flags") ?? "[]") as string[],
  };
}
