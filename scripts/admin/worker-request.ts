import { isLoopbackHost } from "#platform/host-naming.ts";
import { isLocalName, requestByAddress } from "../local/local-request.ts";
import { conditionOf, type Version } from "./admin-api.ts";
import { UsageError } from "./failures.ts";

/** The address of `npm start`. */
export const LOCAL_WORKER = "http://{instance}.localhost:8787";

/** The Worker responds within seconds or not at all; the rest is for the network. */
const TIMEOUT_MILLISECONDS = 60_000;

/** A request to an instance's Worker. */
export interface WorkerRequest {
  readonly method: string;
  readonly token: string;
  /** A JSON text. */
  readonly body?: string | undefined;
  /** The version that the caller read, sent as `If-Match`; `null` is sent as `If-None-Match: *`. */
  readonly version?: Version | undefined;
}

export interface WorkerAnswer {
  readonly status: number;
  readonly text: string;
  /** The `ETag` of what was read. */
  readonly version?: string | undefined;
}

export type SendToWorker = (url: URL, request: WorkerRequest) => Promise<WorkerAnswer>;

/**
 * Checks a Worker's address, which may have `{instance}` in place of the name.
 *
 * @throws {UsageError} for an invalid address; for one with a path, which requests would drop; and for plain http to another
 * machine, because others on the network could read the token
 */
export function requireWorkerAddress(pattern: string): string {
  if (!/^https?:\/\/[^/?#]+\/?$/.test(pattern) || urlOf(pattern) === null) {
    throw new UsageError("--url is the Worker's address without a path, such as https://{instance}-be.example.com");
  }
  if (pattern.startsWith("https:") || isLoopback(pattern)) return pattern;
  throw new UsageError("--url needs https: over plain http, others on the way could read your token");
}

/** Whether an address is on this machine. */
export function isLoopback(pattern: string): boolean {
  return isLoopbackHost(urlOf(pattern)?.hostname ?? "");
}

function urlOf(pattern: string): URL | null {
  return URL.parse(pattern.replace("{instance}", "x"));
}

/** Sends a request to a Worker over the network. */
export const requestWorker: SendToWorker = async (url, request) => {
  const { method, body } = request;
  const headers = headersOf(request);
  const content = body === undefined ? {} : { body };
  if (isLocalName(url)) {
    const answer = await requestByAddress(url, { method, headers, ...content });
    return { status: answer.status, text: answer.text, version: answer.headers.etag };
  }
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const response = await fetch(url, { method, headers, ...content, signal, redirect: "error" });
  return { status: response.status, text: await response.text(), version: response.headers.get("ETag") ?? undefined };
};

/** Returns the headers of a request. */
export function headersOf({ token, body, version }: WorkerRequest): Record<string, string> {
  return {
    Authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...conditionOf(version),
  };
}

/** Returns the Worker's error, or the beginning of the text if it isn't one. */
export function errorIn(text: string): { readonly error?: string; readonly message: string; readonly field?: string } {
  try {
    return { message: text, ...(JSON.parse(text) as object) };
  } catch {
    return { message: text.slice(0, 500) };
  }
}
