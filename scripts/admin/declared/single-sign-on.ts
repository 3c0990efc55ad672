import type { AdminApi } from "../admin-api.ts";
import { difference, type Json, type PlannedChange } from "./difference.ts";
import { requireSecret, type SecretOf } from "./secrets.ts";

const PATH = "/single-sign-on";

/** @returns `undefined` if no SSO is connected */
export async function exportSingleSignOn(api: AdminApi): Promise<Json | undefined> {
  return (await api.find(PATH)).body as Json | undefined;
}

/**
 * @param wanted the connection; `clientSecretEnv` names the environment variable with the secret, which the file never contains
 * @throws {UsageError} if the secret is needed and missing
 */
export async function planSingleSignOn(api: AdminApi, wanted: Json, secretOf: SecretOf): Promise<PlannedChange[]> {
  const { clientSecretEnv, ...connection } = wanted;
  const { body, version } = await api.find(PATH);
  const before = body as Json | undefined;
  const whole: Json = { ...before, ...connection };
  const change = { method: "PUT", path: PATH, version };
  if (["issuer", "clientId"].every((name) => whole[name] === before?.[name])) {
    const lines = difference("singleSignOn", before, connection);
    return lines.length === 0 ? [] : [{ ...change, lines, body: whole }];
  }
  // No value is kept: an administrator who vouches for the emails of one SSO has not vouched for another's.
  const removed = Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null]));
  const lines = difference("singleSignOn", before, { ...removed, ...connection });
  const { secret: clientSecret, line } = requireSecret("singleSignOn.clientSecretEnv", clientSecretEnv, secretOf);
  return [{ ...change, lines: [...lines, line], body: { ...connection, clientSecret } }];
}
