import { mkdir, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { Bindings } from "#platform/bindings.ts";
import type { Services } from "#services.ts";
import { UsageError } from "./failures.ts";

/** A database, opened. */
export interface OpenDatabase {
  readonly bindings: Bindings;
  /** The Worker's own services, over it. */
  readonly services: Services;
  /** Where a local database is; `undefined`: it is a deployment's. */
  readonly folder: string | undefined;
  close(): Promise<void>;
}

/** Where `wrangler dev` keeps the local database, seen from the folder of `wrangler.toml`. */
const LOCAL_STATE = ".wrangler/state/v3";

/** Generated: the deployment's bindings, marked as remote. */
const REMOTE_CONFIG = ".wrangler/admin-remote.json";

/** Generated: what commands need of the local configuration. */
const LOCAL_CONFIG = ".wrangler/admin-local.json";

/**
 * Opens the database of `wrangler.toml`: the local one, or with `remote` the deployed one, through the account that wrangler is
 * signed in to.
 *
 * @param masterKeys the Worker's; without them nothing is opened
 * @param folder where the `wrangler.toml` is, with its `.dev.vars` and its local database beside it; absent: here
 */
export async function openDatabase({
  remote,
  masterKeys,
  folder = ".",
}: {
  readonly remote: boolean;
  readonly masterKeys: string | undefined;
  readonly folder?: string | undefined;
}): Promise<OpenDatabase> {
  if (masterKeys === undefined) {
    throw new UsageError(
      remote
        ? "Set MASTER_KEYS in the environment to the value of the deployment's secret"
        : "There are no master keys: run npm start once, which creates .dev.vars, or set MASTER_KEYS",
    );
  }
  // What wrangler says of itself would stand between a command's lines, which scripts read.
  process.env["WRANGLER_LOG"] ??= "error";
  // Nor does a command on the local database ask anybody where this machine is; without a network it would wait.
  process.env["CLOUDFLARE_CF_FETCH_ENABLED"] ??= "false";
  const { getPlatformProxy } = loadWrangler();
  const proxy = await getPlatformProxy(
    remote
      ? { configPath: await writeRemoteConfig(), persist: false }
      : {
          configPath: await writeLocalConfig(folder),
          envFiles: [resolve(folder, ".dev.vars")],
          persist: { path: resolve(folder, LOCAL_STATE) },
        },
  );
  const bindings = { ...proxy.env, MASTER_KEYS: masterKeys } as unknown as Bindings;
  // Most commands ask a Worker, and need not wait for all of it to be loaded here.
  const { servicesOf } = await import("#services.ts");
  return {
    bindings,
    services: servicesOf(bindings),
    folder: remote ? undefined : folder,
    close: () => proxy.dispose(),
  };
}

/**
 * wrangler takes longer to load than all the rest: a mistyped command is refused before. With `import`, Node would parse its 16 MB once
 * more, to find out which kind of module it is.
 */
const loadWrangler = () => createRequire(import.meta.url)("wrangler") as typeof import("wrangler");

/** Without the object of documents, whose class no command's process exports: workerd would complain of it at each command. */
async function writeLocalConfig(folder: string): Promise<string> {
  const { unstable_readConfig: readConfig } = loadWrangler();
  const config = readConfig({ config: join(folder, "wrangler.toml") });
  const path = resolve(folder, LOCAL_CONFIG);
  await mkdir(resolve(folder, ".wrangler"), { recursive: true });
  const local = {
    name: config.name,
    compatibility_date: config.compatibility_date,
    vars: config.vars,
    d1_databases: config.d1_databases,
    kv_namespaces: config.kv_namespaces,
    ratelimits: config.ratelimits,
  };
  // Another command may be reading the file at this moment: it finds it whole.
  await writeFile(`${path}.${process.pid}`, JSON.stringify(local, null, 2));
  await rename(`${path}.${process.pid}`, path);
  return path;
}

async function writeRemoteConfig(): Promise<string> {
  const { unstable_readConfig: readConfig } = loadWrangler();
  const config = readConfig({ config: "wrangler.toml" });
  await mkdir(".wrangler", { recursive: true });
  const remote = {
    name: config.name,
    compatibility_date: config.compatibility_date,
    vars: config.vars,
    d1_databases: config.d1_databases.map((database: object) => ({ ...database, remote: true })),
    kv_namespaces: config.kv_namespaces.map((namespace: object) => ({ ...namespace, remote: true })),
  };
  await writeFile(REMOTE_CONFIG, JSON.stringify(remote, null, 2));
  return REMOTE_CONFIG;
}
