import type { AdminApi } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { type Json, picked, type PlannedChange, type Named } from "./difference.ts";
import { type Exported, exportEnabled } from "./exported.ts";
import { planNamed } from "./named-things.ts";

const METHOD = "tokenEndpointAuthMethod";

type Stored = ReadonlyMap<string, Json>;

/** The members of an app that can be changed. */
const CHANGEABLE = ["redirectUris", "scopes", "keys", "requirements", "mayExchangeTokens"];

/** @param stored see {@link appsByName} */
export function exportApps(stored: Stored): Exported {
  return exportEnabled("apps", stored, (app) => picked([METHOD, ...CHANGEABLE], app));
}

/** @param stored see {@link appsByName} @throws {UsageError} for a new app without scopes, and for a change that isn't possible */
export async function planApps(api: AdminApi, stored: Stored, declared: Named): Promise<PlannedChange[]> {
  for (const [name, { scopes }] of Object.entries(declared)) {
    if (!stored.has(name) && scopes === undefined)
      throw new UsageError(`apps.${name}.scopes is missing: choose its scopes`);
  }
  const creation = { isNameNew: true };
  return planNamed(api, { part: "apps", list: "/apps", stored, creation, changesOf }, declared);
}

function changesOf(called: string, before: Json, wanted: Json): Json {
  if (wanted[METHOD] !== undefined && wanted[METHOD] !== before[METHOD]) {
    throw new UsageError(`${called}.${METHOD} cannot change: create another app`);
  }
  return picked(CHANGEABLE, wanted);
}

/** Returns the apps that administrators created. @throws {UsageError} if two have the same name */
export async function appsByName(api: AdminApi): Promise<Map<string, Json>> {
  const apps = new Map<string, Json>();
  for await (const app of api.items<Json>("/apps", { kind: "static" })) {
    const name = String(app["name"]);
    if (apps.has(name)) throw new UsageError(`Two apps are called ${name}: give one of them another name`);
    apps.set(name, app);
  }
  return apps;
}
