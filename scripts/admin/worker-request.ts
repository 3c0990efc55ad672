import { requestLocally } from "../local/local-request.ts";
import { UsageError, type WorkerAnswer } from "./context.ts";

/** Where `npm start` answers. */
export const LOCAL_WORKER = "http://{instance}.localhost:8787";

/** The Worker answers within seconds or not at all; the rest is for the network. */
const TIMEOUT_MILLISECONDS = 60_000;

/**
 * A Worker's address, with `{instance}` for the name.
 *
 * @throws {UsageError} for what is no address, and for one with a path, which requests would drop
 */
export function requireWorkerAddress(pattern: string): string {
  if (/^https?:\/\/[^/?#]+\/?$/.test(pattern) && URL.canParse(pattern.replace("{instance}", "x"))) return pattern;
  throw new UsageError("--url is the Worker's address without a path, such as https://{instance}-be.example.com");
}

/**
 * Sends JSON to a Worker. Names below `localhost` are known to browsers and not to every system: such a Worker is asked by address.
 *
 * @param body JSON; absent: none is sent
 */
export async function requestWorker(url: URL, method: string, token: string, body?: string): Promise<WorkerAnswer> {
  const content = body === undefined ? {} : { body };
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  if (url.hostname.endsWith(".localhost")) {
    const byAddress = new URL(url);
    byAddress.hostname = "localhost";
    return requestLocally(byAddress.href, { method, headers: { ...headers, Host: url.host }, ...content });
  }
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const response = await fetch(url, { method, headers, ...content, signal, redirect: "error" });
  return { status: response.status, text: await response.text() };
}

/** What a Worker's error says, where it is JSON; else its beginning. */
export function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}
