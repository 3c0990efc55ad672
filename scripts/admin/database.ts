import { mkdir, rename, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Bindings } from "#platform/bindings.ts";
import { ConfigurationError, configurationFaults } from "#platform/configuration.ts";
import type { Services } from "#services.ts";
import { UsageError } from "./failures.ts";
import { readVariables } from "./variables.ts";
import { hasDeclared, loadWrangler, readWranglerConfig, type WranglerConfig } from "./wrangler-config.ts";

/** An open database. */
export interface OpenDatabase {
  readonly bindings: Bindings;
  /** The Worker's own services, on this database. */
  readonly services: Services;
  /** The folder of a local database; `undefined` if it is a deployment's. */
  readonly folder: string | undefined;
  close(): Promise<void>;
}

/** Where `wrangler dev` keeps the local database, relative to the folder of `wrangler.toml`. */
const LOCAL_STATE = ".wrangler/state/v3";

/** Generated: the deployment's bindings, marked as remote. */
const REMOTE_CONFIG = ".wrangler/admin-remote.json";

/** Generated: the parts of the local configuration that commands need. */
const LOCAL_CONFIG = ".wrangler/admin-local.json";

/**
 * Opens the database of `wrangler.toml`: the local one, or with `remote` the deployed one, through the account that wrangler is
 * signed in to.
 *
 * @param masterKeys the Worker's; without them nothing is opened
 * @param folder the folder of the `wrangler.toml`, its `.dev.vars` and its local database; absent: the current folder
 * @throws {UsageError} without master keys
 * @throws {ConfigurationError} if a variable or binding of `wrangler.toml` is not as it must be
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
  // wrangler's own messages would mix with a command's lines, which scripts read.
  process.env["WRANGLER_LOG"] ??= "error";
  // Keeps wrangler from asking Cloudflare where this machine is. Local commands don't need it, and would wait without a network.
  process.env["CLOUDFLARE_CF_FETCH_ENABLED"] ??= "false";
  const config = readWranglerConfig(folder);
  const variables = { ...config.vars, ...(remote ? {} : readVariables(resolve(folder, ".dev.vars"))) };
  const faults = configurationFaults({ ...variables, MASTER_KEYS: masterKeys }, hasDeclared(config));
  if (faults.length > 0) throw new ConfigurationError(faults);
  const proxy = await loadWrangler().getPlatformProxy(
    remote
      ? { configPath: await writeRemoteConfig(config), persist: false }
      : {
          configPath: await writeLocalConfig(folder, config),
          envFiles: [resolve(folder, ".dev.vars")],
          persist: { path: resolve(folder, LOCAL_STATE) },
        },
  );
  const bindings = { ...proxy.env, MASTER_KEYS: masterKeys } as unknown as Bindings;
  // Imported only now: most commands call a Worker, and don't have to wait until all of this is loaded.
  const { servicesOf } = await import("#services.ts");
  return {
    bindings,
    services: servicesOf(bindings),
    folder: remote ? undefined : folder,
    close: () => proxy.dispose(),
  };
}

/**
 * Writes a configuration without the documents object. Commands don't export its class, and workerd would complain about that
 * each time.
 */
async function writeLocalConfig(folder: string, config: WranglerConfig): Promise<string> {
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
  // A rename, so that another command that reads the file at this moment finds it complete.
  await writeFile(`${path}.${process.pid}`, JSON.stringify(local, null, 2));
  await rename(`${path}.${process.pid}`, path);
  return path;
}

async function writeRemoteConfig(config: WranglerConfig): Promise<string> {
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
