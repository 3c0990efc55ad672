import { isLoopbackHost } from "#platform/host-naming.ts";
import { isLocalName, requestByAddress } from "../local/local-request.ts";
import { conditionOf, type Version } from "./admin-api.ts";
import { UsageError } from "./failures.ts";

/** Where `npm start` answers. */
export const LOCAL_WORKER = "http://{instance}.localhost:8787";

/** The Worker answers within seconds or not at all; the rest is for the network. */
const TIMEOUT_MILLISECONDS = 60_000;

/** A request to an instance's Worker. */
export interface WorkerRequest {
  readonly method: string;
  readonly token: string;
  /** JSON. */
  readonly body?: string | undefined;
  /** What the caller has read: `If-Match`, or where there was nothing `If-None-Match`. */
  readonly version?: Version | undefined;
}

export interface WorkerAnswer {
  readonly status: number;
  readonly text: string;
  /** Of what was read: its `ETag`. */
  readonly version?: string | undefined;
}

export type SendToWorker = (url: URL, request: WorkerRequest) => Promise<WorkerAnswer>;

/**
 * A Worker's address, with `{instance}` for the name.
 *
 * @throws {UsageError} for an invalid address; for one with a path, which requests would drop; and for plain http to another
 *   machine, because others on the way could read the token
 */
export function requireWorkerAddress(pattern: string): string {
  if (!/^https?:\/\/[^/?#]+\/?$/.test(pattern) || urlOf(pattern) === null) {
    throw new UsageError("--url is the Worker's address without a path, such as https://{instance}-be.example.com");
  }
  if (pattern.startsWith("https:") || isLoopback(pattern)) return pattern;
  throw new UsageError("--url needs https: over plain http, others on the way could read your token");
}

/** Whether an address is of this machine. */
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

/** What a request carries beside its body. */
export function headersOf({ token, body, version }: WorkerRequest): Record<string, string> {
  return {
    Authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...conditionOf(version),
  };
}

/** What a Worker's error says, where it is one of its own; else how it begins. */
export function errorIn(text: string): { readonly error?: string; readonly message: string; readonly field?: string } {
  try {
    return { message: text, ...(JSON.parse(text) as object) };
  } catch {
    return { message: text.slice(0, 500) };
  }
}
