import { type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface LocalRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LocalAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** Whether this is a name below `localhost`, which browsers know but the operating system may not. */
export function isLocalName(url: URL): boolean {
  return url.hostname.endsWith(".localhost");
}

/**
 * Sends a request as {@link requestLocally} does, but to the loopback address, with the name in the Host header. For names that
 * {@link isLocalName} recognises.
 */
export function requestByAddress(url: URL, request: LocalRequest): Promise<LocalAnswer> {
  const byAddress = new URL(url);
  byAddress.hostname = "localhost";
  return requestLocally(byAddress.href, { ...request, headers: { ...request.headers, Host: url.host } });
}

/** Returns a `fetch` that sends all requests to the Worker at this address, by {@link requestLocally}. */
export function workerFetch(baseUrl: string) {
  return async (request: Request): Promise<Response> => {
    const { method, headers, url } = request;
    const { pathname, search } = new URL(url);
    const sent = { method, headers: Object.fromEntries(headers), body: await request.text() };
    const { status, text } = await requestLocally(`${baseUrl}${pathname}${search}`, sent);
    return new Response(text, { status });
  };
}

/**
 * Sends a request to the Worker on this machine.
 *
 * `fetch` can't accept the self-signed certificate that wrangler uses with `--https`. Accepting it here is safe because the
 * address is loopback: an attacker who could intercept this connection could read this process's memory too.
 */
export function requestLocally(
  url: string,
  { method = "GET", headers = {}, body }: LocalRequest = {},
): Promise<LocalAnswer> {
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = send(url, { method, headers: { ...headers, ...length }, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, text: Buffer.concat(chunks).toString("utf8"), headers: answered });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}
