import { type AppRule, EVERYBODY, issuersApp, requireRules } from "#app-access/app-rules.ts";
import { type AdminApi, at } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { accepted, difference, type Json, type Named, type PlannedChange } from "./difference.ts";
import type { Exported } from "./exported.ts";

const BASE = "/app-rules/";

interface Ruled {
  readonly app: string;
  readonly rules: readonly AppRule[];
}

/**
 * Exports who may use the apps that the file has: administrators' apps by name, those of identity providers as `<issuer>|<client
 * id>`. Apps that registered themselves are left out: each instance gives them a different id, or doesn't have them yet.
 *
 * @param apps the apps that administrators created, by name
 * @param issuers the identity providers that the file has
 */
export async function exportAppRules(
  api: AdminApi,
  apps: ReadonlyMap<string, Json>,
  issuers: Named,
): Promise<Exported<readonly AppRule[]>> {
  const names = new Map([...apps].map(([name, { id, isDisabled }]) => [id, { name, isDisabled }]));
  const ofIssuers = new Set(
    Object.entries(issuers).flatMap(([issuer, { clientIds }]) =>
      (clientIds as readonly string[]).map((id) => issuersApp(issuer, id)),
    ),
  );
  const named: [string, readonly AppRule[]][] = [];
  const leftOut: { name: string; reason: string }[] = [];
  for await (const { app, rules } of api.items<Ruled>("/app-rules")) {
    const own = names.get(app);
    if (own ? own.isDisabled !== true : ofIssuers.has(app)) named.push([own?.name ?? app, rules]);
    else leftOut.push({ name: `appRules.${own?.name ?? app}`, reason: "the file does not create this app" });
  }
  return { named: Object.fromEntries(named), leftOut };
}

/**
 * Plans the changes of who may use apps.
 *
 * @param apps the apps that administrators created, by name
 * @param declared the rules of apps by their name, their id or `<issuer>|<client id>`; an empty list opens the app to everybody
 * @param created the names of the apps that the plan creates
 * @throws {UsageError} for anything that is no list of rules
 */
export async function planAppRules(
  api: AdminApi,
  apps: ReadonlyMap<string, Json>,
  declared: Json,
  created: ReadonlySet<string>,
): Promise<PlannedChange[]> {
  const plan: PlannedChange[] = [];
  for (const [name, wanted] of Object.entries(declared)) {
    const called = `appRules.${name}`;
    const rules = accepted(called, () => requireRules(listIn(called, wanted)));
    const isNew = created.has(name);
    const app = apps.get(name);
    const path = BASE + at`${app ? String(app["id"]) : name}`;
    const { body, version } = isNew ? { body: undefined, version: null } : await api.find(path);
    const before = (body as Ruled | undefined)?.rules ?? [];
    const lines = difference("appRules", { [name]: before }, { [name]: rules });
    if (lines.length === 0) continue;
    const opened = rules.length === 0 ? [`${called}: everybody may use the app`] : [];
    const target = isNew ? { path: BASE, newApp: name } : { path };
    plan.push({ lines: [...lines, ...opened], method: "PUT", ...target, body: { rules }, version });
  }
  return plan;
}

function listIn(called: string, wanted: unknown): readonly AppRule[] {
  const isRule = (rule: Partial<AppRule> | null) => typeof rule?.group === "string" && Array.isArray(rule.scopes);
  if (Array.isArray(wanted) && wanted.every(isRule)) return wanted as readonly AppRule[];
  const everybody = JSON.stringify([{ group: EVERYBODY, scopes: ["SEARCH"] }]);
  throw new UsageError(`${called} must be a list of rules, such as ${everybody}`);
}
