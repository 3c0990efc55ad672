import { type AdminApi, at } from "../admin-api.ts";
import { difference, type Json, type Named, type PlannedChange, without } from "./difference.ts";
import { requireSecret, type SecretOf } from "./secrets.ts";

const PATH = "/single-sign-on";

/** Members of a further SSO that the file doesn't repeat, or that each instance sets itself. */
const OF_NO_FILE = new Set(["issuer", "redirectUri"]);

/** @returns `undefined` if no SSO is connected */
export async function exportSingleSignOn(api: AdminApi): Promise<Json | undefined> {
  return (await api.find(PATH)).body as Json | undefined;
}

/** Exports the SSOs besides the first one, by issuer; `undefined` if there are none. */
export async function exportFurtherSingleSignOns(api: AdminApi, first: Json | undefined): Promise<Named | undefined> {
  const named: [string, Json][] = [];
  for await (const each of api.items<Json>("/single-sign-ons")) {
    if (each["issuer"] !== first?.["issuer"]) named.push([String(each["issuer"]), without(OF_NO_FILE, each)]);
  }
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

/**
 * @param wanted the connection; `clientSecretEnv` names the environment variable with the secret, which the file never contains
 * @throws {UsageError} if the secret is needed and missing
 */
export function planSingleSignOn(api: AdminApi, wanted: Json, secretOf: SecretOf): Promise<PlannedChange[]> {
  return planConnection(api, "singleSignOn", PATH, wanted, secretOf);
}

/** @param declared the SSOs besides the first one, by issuer; otherwise as for {@link planSingleSignOn} */
export async function planFurtherSingleSignOns(
  api: AdminApi,
  declared: Named,
  secretOf: SecretOf,
): Promise<PlannedChange[]> {
  const plan: PlannedChange[] = [];
  for (const [issuer, wanted] of Object.entries(declared)) {
    const called = `furtherSingleSignOns.${issuer}`;
    plan.push(...(await planConnection(api, called, at`/single-sign-ons/${issuer}`, wanted, secretOf)));
  }
  return plan;
}

async function planConnection(
  api: AdminApi,
  called: string,
  path: string,
  wanted: Json,
  secretOf: SecretOf,
): Promise<PlannedChange[]> {
  const { clientSecretEnv, ...connection } = wanted;
  const { body, version } = await api.find(path);
  const stored = body as Json | undefined;
  const before = stored && (path === PATH ? stored : without(OF_NO_FILE, stored));
  const whole: Json = { ...before, ...connection };
  const change = { method: "PUT", path, version };
  if (before && ["issuer", "clientId"].every((name) => whole[name] === before[name])) {
    const lines = difference(called, before, connection);
    return lines.length === 0 ? [] : [{ ...change, lines, body: whole }];
  }
  // No value is kept: an administrator who vouches for the emails of one SSO has not vouched for another's.
  const removed = Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null]));
  const lines = difference(called, before, { ...removed, ...connection });
  const { secret: clientSecret, line } = requireSecret(`${called}.clientSecretEnv`, clientSecretEnv, secretOf);
  return [{ ...change, lines: [...lines, line], body: { ...connection, clientSecret } }];
}
