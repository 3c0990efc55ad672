import { type AdminApi, at } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { difference, type Json, picked, type PlannedChange, type Named } from "./difference.ts";
import { type Exported, exportEnabled } from "./exported.ts";

const METHOD = "tokenEndpointAuthMethod";

/** What a change of an app may be about. */
const CHANGEABLE = ["redirectUris", "scopes", "keys", "requirements"];

/** Apps that administrators created. */
export async function exportApps(api: AdminApi): Promise<Exported> {
  return exportEnabled("apps", await appsByName(api), (app) => picked([METHOD, ...CHANGEABLE], app));
}

/** @throws {UsageError} for a file that cannot be made true */
export async function planApps(api: AdminApi, declared: Named): Promise<PlannedChange[]> {
  const apps = await appsByName(api);
  const plan: PlannedChange[] = [];
  for (const [name, wanted] of Object.entries(declared)) {
    const called = `apps.${name}`;
    const listed = apps.get(name);
    if (listed === undefined) {
      const lines = difference(called, undefined, wanted);
      plan.push({ lines, method: "POST", path: "/apps", body: { name, ...wanted } });
      continue;
    }
    const path = at`/apps/${String(listed["id"])}`;
    const { body, version } = await api.send("GET", path);
    const before = body as Json;
    if (wanted[METHOD] !== undefined && wanted[METHOD] !== before[METHOD]) {
      throw new UsageError(`${called}.${METHOD} cannot change: create another app`);
    }
    const changes = picked(CHANGEABLE, wanted);
    const lines = difference(called, before, changes);
    if (lines.length === 0) continue;
    if (before["isDisabled"] === true) {
      throw new UsageError(`${called} is disabled: enable it before you change it, or leave it out of the file`);
    }
    plan.push({ lines, method: "PATCH", path, body: changes, version });
  }
  return plan;
}

/** Apps that administrators created. @throws {UsageError} where two have one name */
export async function appsByName(api: AdminApi): Promise<Map<string, Json>> {
  const apps = new Map<string, Json>();
  for await (const app of api.items<Json>("/apps", { kind: "static" })) {
    const name = String(app["name"]);
    if (apps.has(name)) throw new UsageError(`Two apps are called ${name}: give one of them another name`);
    apps.set(name, app);
  }
  return apps;
}
