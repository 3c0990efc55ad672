import { join } from "node:path";
import type { Place } from "./context.ts";
import { UsageError } from "./failures.ts";
import { openDatabase } from "./database.ts";
import { ADDRESS_FILE } from "../local/worker-process.ts";
import { readText, readVariables } from "./variables.ts";
import { LOCAL_WORKER } from "./worker-request.ts";

/**
 * Returns the deployment of a folder's `wrangler.toml` that runs on this machine, with the master keys of its `.dev.vars`.
 *
 * @param address the address of its Worker; absent: the one that `npm start` wrote down
 */
export function localPlace(folder: string, address?: string): Place {
  const readMasterKeys = () => readVariables(join(folder, ".dev.vars"))["MASTER_KEYS"] ?? process.env["MASTER_KEYS"];
  return {
    get address() {
      return address ?? (readText(join(folder, ADDRESS_FILE)) || LOCAL_WORKER);
    },
    get masterKeys() {
      return readMasterKeys();
    },
    openDatabase: () => openDatabase({ remote: false, folder, masterKeys: readMasterKeys() }),
  };
}

/**
 * Returns the deployed one, in the environment of `wrangler.toml` that CLOUDFLARE_ENV names, as for wrangler. A Worker's secrets
 * cannot be read back, so the master keys come from the environment.
 */
export function remotePlace(): Place {
  return {
    get address() {
      const text = readText("wrangler.toml");
      const environment = process.env["CLOUDFLARE_ENV"];
      const [, part = ""] = environment ? text.split(new RegExp(`^\\[env\\.${environment}\\]$`, "m")) : ["", text];
      const [, host] = /^(?:vars = \{.*)?\bINSTANCE_HOST\s*=\s*"([^"]+)"/m.exec(part) ?? [];
      if (host === undefined) throw new UsageError("wrangler.toml names no INSTANCE_HOST: name the Worker with --url");
      return `https://${host}`;
    },
    masterKeys: process.env["MASTER_KEYS"],
    openDatabase: () => openDatabase({ remote: true, masterKeys: process.env["MASTER_KEYS"] }),
  };
}
