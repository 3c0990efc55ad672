import { readFileSync } from "node:fs";
import { CommandTokens } from "#admin-api/command-token.ts";
import { ADMIN_API_BASE } from "#admin-api/operations.ts";
import { Keyring } from "#crypto/keyring.ts";
import { systemClock } from "#platform/clock.ts";
import { requestLocally } from "../local/local-request.ts";
import { AdminApiRefused, type CallAdminApi } from "./admin-api-call.ts";
import { UsageError } from "./context.ts";

/** Where `npm start` answers. */
const LOCAL_WORKER = "http://{instance}.localhost:8787";

const TIMEOUT_MILLISECONDS = 60_000;

/** The variable that holds an admin token. */
const TOKEN_VARIABLE = "GATEHOUSE_TOKEN";

/**
 * The Admin API of a running Worker; no database is opened. With an admin token in {@link TOKEN_VARIABLE} it is asked as that token;
 * without one as a command, by a token made from the master keys.
 *
 * @param url the Worker's address, with `{instance}` for the name; absent: where `npm start` answers
 */
export function linkToApi(instance: string, url = LOCAL_WORKER): CallAdminApi {
  const origin = url.replace("{instance}", instance).replace(/\/$/, "");
  if (!URL.canParse(origin))
    throw new UsageError("--url is the Worker's address, such as https://{instance}-be.example.com");
  return async (method, path, body) => {
    const target = new URL(ADMIN_API_BASE + path, origin);
    const token = process.env[TOKEN_VARIABLE] || (await commandToken(instance, target.pathname));
    const { status, text } = await send(target, method, token, body).catch((error: unknown) => {
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

/** Names below `localhost` are known to browsers and not to every system: such a Worker is asked by address. */
async function send(url: URL, method: string, token: string, body: unknown) {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  if (url.hostname.endsWith(".localhost")) {
    const { host } = url;
    url.hostname = "localhost";
    return requestLocally(url.href, { method, headers: { ...headers, Host: host }, ...content });
  }
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const response = await fetch(url, { method, headers, ...content, signal, redirect: "error" });
  return { status: response.status, text: await response.text() };
}

function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}
