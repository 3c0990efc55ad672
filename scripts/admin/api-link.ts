import { readFileSync } from "node:fs";
import { CommandTokens } from "#admin-api/command-token.ts";
import { ADMIN_API_BASE } from "#admin-api/operations.ts";
import { Keyring } from "#crypto/keyring.ts";
import { systemClock } from "#platform/clock.ts";
import { AdminApiRefused, type CallAdminApi } from "./admin-api-call.ts";
import { UsageError } from "./context.ts";
import { LOCAL_WORKER, messageIn, requestWorker, requireWorkerAddress } from "./worker-request.ts";

/** The variable that holds an admin token. */
const TOKEN_VARIABLE = "GATEHOUSE_TOKEN";

/**
 * The Admin API of a running Worker; no database is opened. With an admin token in {@link TOKEN_VARIABLE} it is asked as that token;
 * without one as a command, by a token made from the master keys.
 *
 * @param url the Worker's address, with `{instance}` for the name; absent: where `npm start` answers
 * @throws {UsageError} for what is no address
 */
export function linkToApi(instance: string, url = LOCAL_WORKER): CallAdminApi {
  const origin = requireWorkerAddress(url).replace("{instance}", instance).replace(/\/$/, "");
  return async (method, path, body) => {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const target = new URL(ADMIN_API_BASE + path, origin);
    const token = process.env[TOKEN_VARIABLE] || (await commandToken(instance, target.pathname));
    const { status, text } = await requestWorker(target, method, token, content).catch((error: unknown) => {
      throw new UsageError(`${origin} does not answer (${String(error)}): start it, or name another with --url`);
    });
    if (status >= 200 && status < 300) return JSON.parse(text) as unknown;
    throw new AdminApiRefused(`${method} ${path} was answered with ${status}: ${messageIn(text)}`, status);
  };
}

async function commandToken(instance: string, path: string): Promise<string> {
  const keys = process.env["MASTER_KEYS"] ?? /^MASTER_KEYS\s*=\s*"?([^"\n]+)"?$/m.exec(readOwn(".dev.vars"))?.[1];
  if (keys === undefined) {
    throw new UsageError(`Set ${TOKEN_VARIABLE} to an admin token, or MASTER_KEYS to the deployment's secret`);
  }
  return new CommandTokens(new Keyring(keys), systemClock).make(instance, path);
}

function readOwn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
