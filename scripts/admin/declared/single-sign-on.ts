import { type AdminAnswer, type AdminApi, AdminApiRefused } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { difference, type Json, type PlannedChange } from "./difference.ts";

/** Reads a secret: the value of an environment variable. */
export type SecretOf = (variable: string) => string | undefined;

const PATH = "/single-sign-on";

/** @returns `undefined` where no SSO is connected */
export async function exportSingleSignOn(api: AdminApi): Promise<Json | undefined> {
  return (await read(api)).body as Json | undefined;
}

/**
 * @param wanted `clientSecretEnv` names the environment variable that holds the secret: the file never does
 * @throws {UsageError} where the secret is needed and not there
 */
export async function planSingleSignOn(api: AdminApi, wanted: Json, secretOf: SecretOf): Promise<PlannedChange[]> {
  const { clientSecretEnv, ...connection } = wanted;
  const { body, version } = await read(api);
  const before = body as Json | undefined;
  const whole: Json = { ...before, ...connection };
  const change = { method: "PUT", path: PATH, version };
  if (["issuer", "clientId"].every((name) => whole[name] === before?.[name])) {
    const lines = difference("singleSignOn", before, connection);
    return lines.length === 0 ? [] : [{ ...change, lines, body: whole }];
  }
  // An administrator who vouches for the emails of one SSO has not vouched for another's: no value is kept.
  const removed = Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null]));
  const lines = difference("singleSignOn", before, { ...removed, ...connection });
  return [{ ...change, lines, body: { ...connection, ...requireSecret(clientSecretEnv, secretOf) } }];
}

async function read(api: AdminApi): Promise<AdminAnswer> {
  try {
    return await api.send("GET", PATH);
  } catch (error) {
    if (error instanceof AdminApiRefused && error.status === 404) return { body: undefined, version: undefined };
    throw error;
  }
}

function requireSecret(variable: unknown, secretOf: SecretOf): Json {
  const secret = typeof variable === "string" ? secretOf(variable) : undefined;
  if (secret) return { clientSecret: secret };
  throw new UsageError(
    typeof variable === "string"
      ? `The environment variable ${variable} is empty: it holds the SSO's client secret`
      : "singleSignOn.clientSecretEnv names the environment variable that holds the SSO's client secret",
  );
}
