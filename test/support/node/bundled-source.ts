import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "vite";
import type { ParsedStack } from "vitest";
import type { Plugin } from "vitest/config";

/** Everything of the Worker that tests import. */
const SOURCE = "src/**/*.{ts,tsx}";

/** Modules that are not loaded in Node, because they import what only workerd has. */
const ONLY_IN_WORKERD = ["src/index.ts", "src/documents/documents-object.ts"];

/** Packages that tests in workerd import themselves. Those that the Worker has too must not be evaluated twice. */
const PACKAGES = [
  "@cfworker/json-schema",
  "fast-check",
  "hono",
  "hono/factory",
  "hono/hono-base",
  "hono/router/trie-router",
  "jose",
  "valibot",
];

/** The beginning of a bundle's folder name. */
const FOLDER_PREFIX = "gatehouse-source-";

/** The modules of the source, each replaced by one that takes its exports from the bundle. */
interface Bundle {
  readonly doors: ReadonlyMap<string, string>;
  readonly contents: ReadonlySet<string>;
  /** The source maps of the bundle's files. They are parsed only for failures, because that takes half a second. */
  readonly maps: ReadonlyMap<string, () => SourceMap>;
}

/**
 * Serves the source and its packages to tests as one module. Otherwise Vite would transform some 900 modules and send them one by
 * one to each worker, which takes longer than a third of the tests. Modules keep their ids, so tests import them as usual. Runs
 * that watch files do without.
 *
 * @param runtime where the tests run. In Node they have their own packages, separate from those of the bundle
 */
export function bundledSource(runtime: "workerd" | "node"): Plugin {
  const folder = join(tmpdir(), FOLDER_PREFIX + crypto.randomUUID());
  let bundle: Promise<Bundle> | undefined;
  let maps: Bundle["maps"] = new Map();
  return {
    name: "bundled-source",
    enforce: "pre",
    config: {
      // After the workerd plugin, which makes Vite transform every module.
      order: "post",
      handler: () => ({
        test: {
          server: { deps: { external: [new RegExp(FOLDER_PREFIX)] } },
          onStackTrace: (_error, frame) => {
            nameSource(frame, maps);
          },
        },
      }),
    },
    configResolved(config) {
      const { deps } = config.test?.server ?? {};
      if (deps && runtime === "workerd") deps.inline = [new RegExp(`^(?!.*${FOLDER_PREFIX})`)];
    },
    configureVitest({ vitest, project, defineCacheKeyGenerator }) {
      if (vitest.config.watch || vitest.config.mergeReports !== undefined) return;
      const { root } = project.config;
      // The next run has a different folder for the bundle.
      defineCacheKeyGenerator(({ id }) => (id.startsWith(resolve(root, "src")) ? false : null));
      bundle = bundleSource(root, folder, runtime);
      // An error in the source is reported when its first module is loaded.
      bundle.catch(() => undefined);
      process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    },
    async load(id) {
      if (!bundle) return undefined;
      const { doors, contents, maps: loaded } = await bundle;
      maps = loaded;
      const code = doors.get(id);
      if (code === undefined && contents.has(id) && runtime === "workerd")
        throw new Error(`${id} is evaluated twice: add its package to PACKAGES`);
      return code === undefined ? undefined : { code, map: null };
    },
  };
}

async function bundleSource(root: string, folder: string, runtime: "workerd" | "node"): Promise<Bundle> {
  const isWorkerd = runtime === "workerd";
  const files = globSync(SOURCE, { cwd: root, exclude: (path) => path.endsWith(".d.ts") }).filter(
    (path) => isWorkerd || !ONLY_IN_WORKERD.includes(path),
  );
  const built = await build({
    root,
    configFile: false,
    logLevel: "error",
    ...(isWorkerd ? { resolve: { conditions: ["workerd", "worker", "module", "browser"] } } : {}),
    ssr: { noExternal: true, target: isWorkerd ? "webworker" : "node" },
    build: {
      ssr: true,
      write: false,
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        input: [...files.map((file) => resolve(root, file)), ...(isWorkerd ? PACKAGES : [])],
        external: /^cloudflare:/,
        preserveEntrySignatures: "strict",
        output: {
          dir: folder,
          codeSplitting: { groups: [{ name: "source", test: /./ }] },
          entryFileNames: "[name]-[hash].mjs",
          chunkFileNames: "[name].mjs",
        },
      },
    },
  });
  if (!("output" in built)) throw new Error("one build was asked for");
  const chunks = built.output.filter((file) => file.type === "chunk");
  const doors = new Map<string, string>();
  const maps = new Map<string, () => SourceMap>();
  mkdirSync(folder, { recursive: true });
  for (const { facadeModuleId, fileName, code, map } of chunks) {
    if (facadeModuleId !== null) {
      doors.set(facadeModuleId, code.replace('"./', `"${folder}/`));
    } else {
      const path = join(folder, fileName);
      writeFileSync(path, code);
      let parsed: SourceMap | undefined;
      maps.set(path, () => (parsed ??= new SourceMap(map as unknown as SourceMapPayload)));
    }
  }
  return { doors, contents: new Set(chunks.flatMap(({ moduleIds }) => moduleIds)), maps };
}

/**
 * Replaces a position in the bundle by the file and line of the source, so that a failure reads as if nothing were bundled.
 */
function nameSource(frame: ParsedStack, maps: Bundle["maps"]): void {
  for (const [path, map] of maps) {
    // workerd names modules without their first slash, which vitest resolves relative to the current folder.
    if (!frame.file.endsWith(path)) continue;
    const origin = map().findOrigin(frame.line, frame.column);
    if (!("fileName" in origin)) return;
    Object.assign(frame, {
      file: resolve(path, "..", origin.fileName),
      line: origin.lineNumber,
      column: origin.columnNumber,
    });
  }
}
